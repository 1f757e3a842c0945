import type { Via } from '../audit/origin.ts'
import type { Queries } from '../database/database.ts'
import type { BearerRefusal } from '../http/refusals.ts'
import type { Examples } from './operation.ts'

/** The program that calls. `name` is for people who read the audit log. */
export type Caller = { kind: 'operator' | 'api_key' | 'developer_key'; id: string; name: string }

/** A key that was issued, and whom it stands for. */
type FoundKey<C extends Caller> = {
  state: 'live' | 'expired' | 'revoked'
  /** The time of its last use is to be written. */
  isUsedAgain: boolean
  caller: C
}

/**
 * An API that programs call with keys: the admin API, or the API of developers. They share everything else.
 * `Right`: what a key needs for an operation, a scope or a role.
 */
export type ManagementApi<C extends Caller, Right extends string> = {
  /** In texts: `admin API`. */
  name: string
  via: Via
  /** Of its challenges (RFC 9110 section 11.5). */
  realm: string
  /** Of its lines in the log, with the name of the field that has the id of the key. */
  log: { event: string; key: string }
  keys: {
    kind: 'ak' | 'dk'
    /** @param hash SHA-256 of the key. Undefined: it was never issued */
    find(database: Queries, hash: Buffer): Promise<FoundKey<C> | undefined>
    /** Writes that the key was used now, to the minute. */
    touch(database: Queries, id: string): Promise<unknown>
  }
  /** How many calls each server admits in a minute. Absent: no limit. `of`: calls with the same name count together. */
  quota?: { most: number; of(caller: C): string }
  rights: {
    may(caller: C, right: Right): boolean
    /** Why the key may not call an operation that needs this right. */
    refusal(right: Right): BearerRefusal
    /** For the challenge (RFC 6750 section 3): what the operation needs. */
    challenge(right: Right): string
    /** A sentence for the description of an operation. */
    describe(right: Right): string
  }
  /** Examples in its document of refusals that differ between the APIs. */
  examples: Examples
}
