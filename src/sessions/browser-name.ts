import Bowser from 'bowser'

/** The common names of the browser and the operating system in a User-Agent. Null if unknown. */
export function browserName(userAgent = ''): { browser: string | null; system: string | null } {
  const agent = userAgent.slice(0, 512) // limits the work of regular expressions on untrusted text
  if (agent === '') return { browser: null, system: null } // Bowser throws for an empty text
  const { browser, os } = Bowser.parse(agent)
  return { browser: shortName(browser.name), system: shortName(os.name) }
}

/** Limits the length: for an unknown browser, Bowser returns the beginning of the User-Agent. */
function shortName(name: string | undefined): string | null {
  return name?.trim().slice(0, 60) || null
}
