import { foldCase } from './case-folding.ts'
import { estimateGuesses, type WeakPart } from './guess-estimate.ts'
import { maxPasswordBytes } from './passwords.ts'

/**
 * For whom the password is. Attackers try what they know about a user first. A second factor allows a shorter password,
 * because a password that was guessed is not enough to log in.
 */
export type PasswordOwner = {
  name: string
  email: string
  /** The name that users know the service by. */
  service: string
  hasSecondFactor: boolean
}

export type PasswordFault =
  /** `characters` is the minimum. */
  | { kind: 'too_short'; characters: number }
  | { kind: 'too_long' | 'more_than_one_line' }
  /** Attackers would guess it soon. `contains_personal`: the owner's name or address, or the name of the service. */
  | { kind: 'contains_personal' | 'common' | 'pattern' | 'few_words' }

/**
 * NIST SP 800-63B-4, section 3.1.1.2: 15 characters as the only factor, 8 with a second one, no rules about kinds of
 * characters, and no password that is common or expected. `guesses` is the number that attackers need, in powers of ten.
 */
const alone = { characters: 15, guesses: 10 }
const withSecondFactor = { characters: 8, guesses: 7 }

/** In characters (Unicode code points). */
export function shortestPassword({ hasSecondFactor }: Pick<PasswordOwner, 'hasSecondFactor'>): number {
  return (hasSecondFactor ? withSecondFactor : alone).characters
}

/**
 * The reasons why a person may not choose this password, the most important first. The rules are for passwords that people
 * choose from now on. Those that exist or are imported keep working.
 */
export async function newPasswordFaults(password: string, owner: PasswordOwner): Promise<PasswordFault[]> {
  const characters = shortestPassword(owner)
  const faults: [PasswordFault, boolean][] = [
    [{ kind: 'too_short', characters }, [...password].length < characters],
    [{ kind: 'too_long' }, Buffer.byteLength(password) > maxPasswordBytes],
    [{ kind: 'more_than_one_line' }, /[\n\r\0]/.test(password)],
    [{ kind: 'contains_personal' }, containsPersonal(password, owner)],
  ]
  const found = faults.flatMap(([fault, applies]) => (applies ? fault : []))
  return found.length > 0 ? found : weaknessFaults(password, owner)
}

/** In characters. A shorter name is often a part of a word. It counts as a word that attackers try first. */
const shortestPersonal = 5

function containsPersonal(password: string, { name, email, service }: PasswordOwner): boolean {
  const text = lettersAndDigits(password)
  const [localPart = ''] = email.split('@')
  return [name, localPart, service]
    .map(lettersAndDigits)
    .some((personal) => personal.length >= shortestPersonal && text.includes(personal))
}

function lettersAndDigits(text: string): string {
  return foldCase(text).replace(/[^\p{L}\p{N}]/gu, '')
}

const faultOfPart = {
  personal: 'contains_personal',
  common: 'common',
  pattern: 'pattern',
  word: 'few_words',
} as const satisfies Record<WeakPart, PasswordFault['kind']>

async function weaknessFaults(password: string, owner: PasswordOwner): Promise<PasswordFault[]> {
  const personal = [owner.name, owner.email, owner.service].flatMap((text) => [
    text,
    ...text.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 1),
  ])
  const { log10, weakest } = await estimateGuesses({ password, personal })
  const { guesses } = owner.hasSecondFactor ? withSecondFactor : alone
  return log10 >= guesses ? [] : [{ kind: faultOfPart[weakest] }]
}
