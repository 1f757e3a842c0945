import { InvalidArgumentError, Option } from 'commander'
import { longestKeyDays } from '../management/key-rules.ts'

// What the commands for API keys and developer keys have in common.

export const keyShownOnce = 'Keep the key: it is shown only once.'

/** `--expires-in-days` */
export function expiryOption(): Option {
  return new Option(
    '--expires-in-days <n>',
    'days until the key expires; without it, the key does not expire',
  ).argParser(days)
}

function days(text: string): number {
  const count = Number(text)
  if (!/^\d{1,4}$/.test(text) || count < 1 || count > longestKeyDays) {
    throw new InvalidArgumentError(`It must be a number of days from 1 to ${longestKeyDays}.`)
  }
  return count
}

type Key = { id: string; name: string; state: string; expires_at: Date | null; last_used_at: Date | null }

/** One line of a list. `rights`: what the key may do. */
export function describeKey(
  { id, name, state, expires_at: expires, last_used_at: used }: Key,
  rights: string,
): string {
  const facts = [
    state,
    expires ? `expires ${expires.toISOString()}` : 'does not expire',
    used ? `last used ${used.toISOString()}` : 'never used',
  ]
  return `${id}  ${name}  (${facts.join(', ')})  ${rights}`
}
