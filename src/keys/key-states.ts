import type { Queries } from '../database/database.ts'
import { signerAt } from './keyring.ts'
import { listSigningKeys, type SigningKeyRow } from './signing-keys.sql.ts'
import type { SigningAlgorithm } from './signing-keys.ts'

/** Waiting: published, and does not sign yet. Published: no longer signs. Retired: no longer in the JWKS. */
export const keyStates = ['waiting', 'signing', 'published', 'retired'] as const

export type ListedKey = {
  kid: string
  algorithm: SigningAlgorithm
  state: (typeof keyStates)[number]
  created_at: Date
  signs_from: Date
}

/** All signing keys with their states at `now`, those of each algorithm from oldest to newest. */
export async function listKeys(database: Queries, now: Date): Promise<ListedKey[]> {
  const rows = await database.run(listSigningKeys, [])
  return rows.map((row) => {
    const { kid, algorithm, created_at, signs_from } = row
    return { kid, algorithm, state: stateOf(row, rows, now), created_at, signs_from }
  })
}

function stateOf(row: SigningKeyRow, rows: SigningKeyRow[], now: Date): ListedKey['state'] {
  if (row.private_jwk === null) return 'retired'
  const live = rows.filter(({ private_jwk }) => private_jwk !== null)
  if (signerAt(live, row.algorithm, now) === row) return 'signing'
  return row.signs_from > now ? 'waiting' : 'published'
}
