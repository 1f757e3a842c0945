import type { KeyObject } from 'node:crypto'
import type { Database } from '../database/database.ts'
import { type PartnerJwk, publicKeyOf, thumbprintOf } from './jwks.ts'
import { findClientKeys } from './partners.sql.ts'

/** A key that a partner registered; the database knows it by its RFC 7638 SHA-256 thumbprint. */
export type ClientKey = { jwk: PartnerJwk; key: KeyObject; thumbprint: Buffer }

/**
 * A client's keys as last seen, and should none of them fit, the keys as they are now; the latter not more than once in
 * five seconds. None for a client that is not known.
 * @throws {DatabaseUnavailable} from whichever look needs the database
 */
export type ClientKeys = (clientId: string, now: Date) => AsyncIterable<ClientKey[], void>

type Entry = { keys: Promise<ClientKey[]>; reloadedAt: number }

const clientsKept = 1000
const reloadEvery = 5000 // milliseconds

/**
 * The partners' public keys, in memory. They may be out of date: a key that is registered no more is refused by the
 * statement that acts on the assertion, and one that is new is looked up (docs/adr/0010).
 */
export function clientKeys(database: Database): ClientKeys {
  const entries = new Map<string, Entry>() // in the order of use

  function keep(clientId: string, entry: Entry): Promise<ClientKey[]> {
    entries.delete(clientId)
    entries.set(clientId, entry)
    const [leastUsed] = entries.size > clientsKept ? entries.keys() : []
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
      // Nothing is kept of a failure, nor of an invented client: with those a stranger could push the others out.
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
    // Of many who come at once with a new key, one looked it up for all.
    if (current !== known) yield current.keys
    else if (Math.abs(now.getTime() - known.reloadedAt) >= reloadEvery) yield load(clientId, now.getTime())
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
