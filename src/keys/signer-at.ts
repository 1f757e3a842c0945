import type { SigningAlgorithm } from './signing-keys.ts'

/**
 * Which of the keys that are not retired, the newest last, signs at this moment: the newest whose time has come. On a
 * clock that is behind the database's it may be that of none, and the oldest is it, which everybody knows.
 */
export function signerAt<Key extends { algorithm: SigningAlgorithm; signs_from: Date }>(
  live: Key[],
  algorithm: SigningAlgorithm,
  now: Date,
): Key | undefined {
  const keys = live.filter((key) => key.algorithm === algorithm)
  return keys.findLast(({ signs_from }) => signs_from <= now) ?? keys[0]
}
