import type { Queries } from '../database/database.ts'
import type { SecretKeys } from '../secrets/derived-keys.ts'
import Type, { Compile, type Static } from '../typebox.ts'
import { storedRemovals } from './chain.sql.ts'
import { isSignedValue, signValue } from './checkpoint.ts'

const Removal = Type.Object({
  /** Rows before this instant were removed. ISO 8601. */
  before: Type.String(),
  /** The places in the chain of all rows that were ever removed: an `int8multirange` as text, `{[1,1001)}`. */
  places: Type.String({ pattern: '^\\{(\\[\\d{1,18},\\d{1,18}\\)(,\\[\\d{1,18},\\d{1,18}\\))*)?\\}$' }),
  key_id: Type.String(),
  signature: Type.String(),
})
const removal = Compile(Removal)

/** The details of `audit.partition_dropped`. Each also names the places of the earlier ones, so the latest one covers them. */
export type SignedRemoval = Static<typeof Removal>

/**
 * What the retention has removed, signed. An attacker who can write to the database can also store a row of the audit log.
 * Without a signature, that row could excuse any deleted row.
 */
export function signRemoval(keys: SecretKeys, content: { before: string; places: string }): SignedRemoval {
  const value = { ...content, key_id: keys.current.id }
  return { ...value, signature: signValue(keys, value) }
}

/** The places of rows that a server has removed, by its own signature. */
export class RemovedPlaces {
  /** The last one. 0: there is none. */
  readonly last: bigint
  readonly #ranges: [from: bigint, to: bigint][]

  constructor(texts: string[]) {
    this.#ranges = texts.flatMap((text) =>
      [...text.matchAll(/\[(\d+),(\d+)\)/g)].map(([, from = '', to = '']): [bigint, bigint] => [
        BigInt(from),
        BigInt(to),
      ]),
    )
    this.last = this.#ranges.reduce((last, [, to]) => (to > last ? to - 1n : last), 0n)
  }

  /** As text of an `int8multirange`. */
  toString(): string {
    return `{${this.#ranges.map(([from, to]) => `[${from},${to})`).join(',')}}`
  }

  has(place: bigint): boolean {
    return this.#ranges.some(([from, to]) => from <= place && place < to)
  }
}

/** The removals whose signatures are right. Those of a secret that is no longer configured do not count. */
export async function removedPlaces(database: Queries, keys: SecretKeys): Promise<RemovedPlaces> {
  const rows = await database.run(storedRemovals, [])
  return new RemovedPlaces(
    rows.flatMap(({ details }) => {
      if (!removal.Check(details)) return []
      const { before, places, key_id, signature } = details
      return isSignedValue(keys, key_id, { before, places, key_id }, signature) === true ? [places] : []
    }),
  )
}
