import type { Database } from '../database/database.ts'
import { openSigningKeys } from './open-keys.ts'
import { insertSigningKey, listSigningKeys, type SigningKeyRow } from './signing-keys.sql.ts'
import { generateSigningKey, type SigningAlgorithm, signingAlgorithms } from './signing-keys.ts'

/** What decides that an algorithm is due for its first key, or its next. */
type Known = Pick<SigningKeyRow, 'algorithm' | 'generation' | 'aged'>

/** The key after the newest of `keys`: published from now on, and signing after the lead time (docs/adr/0009). */
async function makeNext(
  database: Database,
  sealingKey: Buffer,
  keys: Known[],
  algorithm: SigningAlgorithm,
): Promise<void> {
  const generation = (newestOf(keys, algorithm)?.generation ?? 0) + 1
  const { kid, publicJwk, sealedPrivateJwk } = await generateSigningKey(algorithm, sealingKey)
  await database.maybe(insertSigningKey, [kid, algorithm, generation, publicJwk, sealedPrivateJwk])
}

/** @returns whether a key was due, and is there now: made here, or at the same moment by another server */
export async function makeDueKeys(database: Database, sealingKey: Buffer, keys: Known[]): Promise<boolean> {
  const due = signingAlgorithms.filter((algorithm) => newestOf(keys, algorithm)?.aged ?? true)
  for (const algorithm of due) await makeNext(database, sealingKey, keys, algorithm)
  return due.length > 0
}

/**
 * Makes the next key at once, whatever the age of the newest.
 * @returns the newest key, which is another's when somebody rotated at the same moment
 * @throws {SecretMismatch} when this is not the LATCHKEY_SECRET that the other keys were stored under
 */
export async function rotateSigningKey(
  database: Database,
  sealingKey: Buffer,
  algorithm: SigningAlgorithm,
): Promise<SigningKeyRow> {
  const keys = await openSigningKeys(database, sealingKey)
  await makeNext(database, sealingKey, keys, algorithm)
  const newest = newestOf(await database.run(listSigningKeys, []), algorithm)
  if (!newest) throw new Error(`the ${algorithm} key just made is not there`)
  return newest
}

function newestOf<Key extends Known>(keys: Key[], algorithm: SigningAlgorithm): Key | undefined {
  return keys.findLast((key) => key.algorithm === algorithm)
}
