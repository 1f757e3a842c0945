import type { Queries } from '../database/database.ts'
import type { Secrets } from '../secrets/configured-secrets.ts'
import { keyIdOf } from '../secrets/derived-keys.ts'
import { endOfOverlap } from '../secrets/secret-keys.ts'
import { listSecrets } from './secrets.sql.ts'

/** How far the replacement of the secret has come, as this configuration and the database show it. */
export type RotationState =
  /** No server has used this database yet. */
  | { kind: 'unused' }
  | { kind: 'idle' }
  /** The next secret is configured. */
  | { kind: 'announced' }
  /** The configuration has the new secret, but no server has started with it. */
  | { kind: 'switching' }
  /** Servers use the new secret. The previous one is needed until `until`. */
  | { kind: 'overlap'; until: Date }
  | { kind: 'finished'; until: Date }
  /** Other servers already use the secret that is the next one in this configuration. */
  | { kind: 'behind' }
  /** The secret that servers used last is not configured. */
  | { kind: 'foreign' }

export type Rotation = {
  state: RotationState
  /** Key ids of the configured secrets. */
  secrets: { current: string; next: string | null; previous: string | null }
  currentSince: Date | null
  /** The address of the server that used the current secret last. Null if none has. */
  authUrl: string | null
}

/** @throws {DatabaseUnavailable} */
export async function readRotation(database: Queries, config: Secrets, now: Date): Promise<Rotation> {
  const rows = await database.run(listSecrets, [])
  const idOf = (secret: string | undefined) => (secret ? keyIdOf(secret) : null)
  const secrets = {
    current: keyIdOf(config.secret),
    next: idOf(config.nextSecret),
    previous: idOf(config.previousSecret),
  }
  const recorded = rows.find(({ key_id }) => key_id === secrets.current)
  return {
    state: stateOf(secrets, rows[0], now),
    secrets,
    currentSince: recorded?.current_since ?? null,
    authUrl: recorded?.auth_url ?? null,
  }
}

function stateOf(
  { current, next, previous }: Rotation['secrets'],
  latest: { key_id: string; current_since: Date } | undefined,
  now: Date,
): RotationState {
  if (!latest) return { kind: 'unused' }
  if (latest.key_id !== current) {
    if (latest.key_id === next) return { kind: 'behind' }
    return { kind: latest.key_id === previous ? 'switching' : 'foreign' }
  }
  if (next !== null) return { kind: 'announced' }
  if (previous === null) return { kind: 'idle' }
  const until = endOfOverlap(latest.current_since)
  return { kind: now < until ? 'overlap' : 'finished', until }
}
