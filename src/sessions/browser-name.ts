import Bowser from 'bowser'

/** What a person would call the browser and the system of a User-Agent, as far as it can be told. */
export function browserName(userAgent = ''): { browser: string | null; system: string | null } {
  const agent = userAgent.slice(0, 512) // a stranger's text, and what reads it are regular expressions
  if (agent === '') return { browser: null, system: null } // which the library would not accept
  const { browser, os } = Bowser.parse(agent)
  return { browser: named(browser.name), system: named(os.name) }
}

/** A name that the library does not know is whatever the User-Agent begins with. */
function named(name: string | undefined): string | null {
  return name?.trim().slice(0, 60) || null
}
