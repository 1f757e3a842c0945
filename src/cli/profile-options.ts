import { readFileSync } from 'node:fs'
import { type Command, Option } from 'commander'
import type { ProfileChanges } from '../partners/profile.ts'
import { CommandError } from './command.ts'

/** False for `--no-…`. */
export type ProfileOptions = {
  site?: string | false
  /** The name of a file. */
  logo?: string | false
  privacyUrl?: string | false
  description?: string | false
}

const options = [
  { flag: 'site', value: 'url', what: "the partner's public web site" },
  { flag: 'logo', value: 'file', what: 'its logo: PNG or WebP, at most 64 kB, preferably square' },
  { flag: 'privacy-url', value: 'url', what: 'its privacy policy' },
  { flag: 'description', value: 'text', what: 'one sentence about it for users, at most 200 characters' },
]

/** Adds the options for what users see of a partner. With `removable`, each also as `--no-…`. */
export function addProfileOptions(command: Command, { removable }: { removable: boolean }): Command {
  for (const { flag, value, what } of options) {
    command.addOption(new Option(`--${flag} <${value}>`, what))
    if (removable) command.addOption(new Option(`--no-${flag}`, `removes it: ${what}`))
  }
  return command
}

/** @throws {CommandError} if the file of the logo cannot be read */
export function profileOf({ site, logo, privacyUrl, description }: ProfileOptions): ProfileChanges {
  return {
    site: orNull(site),
    logo: typeof logo === 'string' ? readPicture(logo) : orNull<Buffer>(logo),
    privacyUrl: orNull(privacyUrl),
    description: orNull(description),
  }
}

function orNull<T>(option: T | false | undefined): T | null | undefined {
  return option === false ? null : option
}

function readPicture(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${error instanceof Error ? error.message : error}`)
  }
}

/** One line for each property that is set. */
export function profileLines(partner: {
  site: string | null
  logo: string | null
  privacy_url: string | null
  description: string | null
}): string[] {
  const lines = [
    ['site', partner.site],
    ['logo', partner.logo],
    ['privacy URL', partner.privacy_url],
    ['description', partner.description],
  ] as const
  return lines.flatMap(([name, value]) => (value === null ? [] : `${name.padEnd(15)}${value}`))
}
