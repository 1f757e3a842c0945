import type { Queries } from '../database/database.ts'
import { ExplainedError } from '../explained-error.ts'
import type { SecretKeys } from './derived-keys.ts'
import { openJson, sealJson } from './seal.ts'
import {
  sealedDeveloperSecrets,
  sealedOperatorSecrets,
  sealedProviders,
  sealedTotpSecrets,
  sealedWebhookSecrets,
} from './stored-secrets.sql.ts'

/** All columns with stored secrets: what is listed here is sealed again when the secret is replaced. */
const sealedColumns = [
  sealedProviders,
  sealedTotpSecrets,
  sealedOperatorSecrets,
  sealedDeveloperSecrets,
  sealedWebhookSecrets,
]

/** A stored secret was sealed under a secret that is not configured. */
export class UnreadableSecret extends ExplainedError {}

/**
 * Encrypts a secret for one of `sealedColumns`. The id of the key comes first, so that SQL finds the texts that a replaced
 * secret still seals.
 */
export function sealStored({ current }: SecretKeys, text: string): string {
  return `${current.id}.${sealJson(text, current['stored-secret'])}`
}

/** @throws {UnreadableSecret} if the text was sealed under a secret that is not configured */
export function openStored(keys: SecretKeys, sealed: string): string {
  const text = openIfReadable(keys, sealed)
  if (text !== undefined) return text
  throw new UnreadableSecret(
    'A stored secret cannot be decrypted: it was encrypted with another secret than LATCHKEY_SECRET, ' +
      'LATCHKEY_SECRET_PREVIOUS or LATCHKEY_SECRET_NEXT. `latchkey doctor` says what to set up again.',
  )
}

function openIfReadable({ accepted }: SecretKeys, sealed: string): string | undefined {
  const cut = sealed.indexOf('.')
  const sealer = accepted.find(({ id }) => id === sealed.slice(0, cut))
  const text = sealer && openJson(sealed.slice(cut + 1), [sealer['stored-secret']])
  return typeof text === 'string' ? text : undefined
}

/**
 * Seals again, under the current secret, a batch of what the previous secret seals. Not of what the next one seals: a server
 * that still has the old secret would undo the work of those that have the new one.
 * @throws {DatabaseUnavailable}
 */
export async function resealStored(database: Queries, keys: SecretKeys): Promise<void> {
  if (!keys.previous) return
  for (const { list, replace } of sealedColumns) {
    const [old, next]: [string[], string[]] = [[], []]
    for (const { sealed } of await database.run(list, [keys.previous.id])) {
      const text = openIfReadable(keys, sealed)
      if (text === undefined) continue
      old.push(sealed)
      next.push(sealStored(keys, text))
    }
    if (old.length > 0) await database.run(replace, [old, next])
  }
}

/** The tables with stored secrets that the configured secrets cannot open, and how many of them. */
export async function unreadableSecrets(
  database: Queries,
  { accepted }: SecretKeys,
): Promise<{ table: string; rows: number }[]> {
  const ids = accepted.map(({ id }) => id)
  const found = sealedColumns.map(async ({ table, countUnreadable }) => {
    const { rows } = await database.one(countUnreadable, [ids])
    return { table, rows }
  })
  return (await Promise.all(found)).filter(({ rows }) => rows > 0)
}
