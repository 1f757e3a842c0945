import type { KeyObject } from 'node:crypto'
import type { Database } from '../database/database.ts'
import { type PartnerJwk, publicKeyOf, thumbprintOf } from './jwks.ts'
import { findClientKeys } from './partners.sql.ts'

/** A key that a partner registered. The database identifies it by its RFC 7638 SHA-256 thumbprint. */
export type ClientKey = { jwk: PartnerJwk; key: KeyObject; thumbprint: Buffer }

/**
 * Yields a client's keys from memory. If none of them fits, the caller asks for more and gets the current keys from the
 * database, but not more than once in five seconds. An unknown client has no keys.
 * @throws {DatabaseUnavailable} if the keys must be read and cannot be
 */
export type ClientKeys = (clientId: string, now: Date) => AsyncIterable<ClientKey[], void>

type Entry = { keys: Promise<ClientKey[]>; reloadedAt: number }

const maxClients = 1000
const reloadInterval = 5000 // milliseconds

/**
 * Keeps the partners' public keys in memory. They may be out of date: the statement that acts on an assertion refuses a key
 * that is no longer registered, and a new key is read from the database (docs/adr/0010).
 */
export function clientKeys(database: Database): ClientKeys {
  const entries = new Map<string, Entry>() // the least recently used first

  function keep(clientId: string, entry: Entry): Promise<ClientKey[]> {
    entries.delete(clientId)
    entries.set(clientId, entry)
    const [leastUsed] = entries.size > maxClients ? entries.keys() : []
    if (leastUsed !== undefined) entries.delete(leastUsed)
    return entry.keys
  }

  async function load(clientId: string, reloadedAt: number): Promise<ClientKey[]> {
    const entry = { keys: read(database, clientId), reloadedAt }
    let found: ClientKey[] = []
    try {
      found = await keep(clientId, entry)
      return found
    } finally {
      // Failures and unknown clients are not kept: with invented client_ids an attacker could push out the others.
      if (found.length === 0 && entries.get(clientId) === entry) entries.delete(clientId)
    }
  }

  return async function* (clientId, now) {
    const known = entries.get(clientId)
    if (!known) {
      yield load(clientId, Number.NEGATIVE_INFINITY)
      return
    }
    yield keep(clientId, known)
    const current = entries.get(clientId) ?? known
    // A parallel request has already read the keys again.
    if (current !== known) yield current.keys
    else if (Math.abs(now.getTime() - known.reloadedAt) >= reloadInterval) yield load(clientId, now.getTime())
  }
}

async function read(database: Database, clientId: string): Promise<ClientKey[]> {
  const row = await database.maybe(findClientKeys, [clientId])
  return Promise.all(
    (row?.keys ?? []).map(async (jwk) => ({
      jwk,
      key: publicKeyOf(jwk),
      thumbprint: await thumbprintOf(jwk),
    })),
  )
}
