import { createPublicKey, sign, verify } from 'node:crypto'
import type { SecretKeys } from '../secrets/derived-keys.ts'
import { ed25519KeyOf } from '../secrets/ed25519.ts'
import { canonicalJson } from './chain-hash.ts'

/** What a server has signed: the hash of the chain at a place, and with it everything before. `hash` is hexadecimal. */
export type Checkpoint = { number: string; place: string; hash: string; at: string; key_id: string }

/** The signature is in base64url. */
export type SignedCheckpoint = Checkpoint & { signature: string }

/** Signs a value with the current secret. @returns the signature in base64url */
export function signValue({ current }: SecretKeys, value: object): string {
  return sign(null, Buffer.from(canonicalJson(value)), ed25519KeyOf(current.audit)).toString('base64url')
}

/** Undefined: no configured secret has this key id. */
export function isSignedValue(
  { accepted }: SecretKeys,
  keyId: string,
  value: object,
  signature: string,
): boolean | undefined {
  const signers = accepted.filter(({ id }) => id === keyId)
  if (signers.length === 0) return undefined
  const text = Buffer.from(canonicalJson(value))
  return signers.some(({ audit }) =>
    verify(null, text, createPublicKey(ed25519KeyOf(audit)), Buffer.from(signature, 'base64url')),
  )
}

export function signCheckpoint(keys: SecretKeys, checkpoint: Omit<Checkpoint, 'key_id'>): SignedCheckpoint {
  const value = { ...checkpoint, key_id: keys.current.id }
  return { ...value, signature: signValue(keys, value) }
}

/** Undefined: it was signed with a secret that is no longer configured. */
export function isOwnCheckpoint(
  keys: SecretKeys,
  { signature, ...value }: SignedCheckpoint,
): boolean | undefined {
  const { number, place, hash, at, key_id } = value
  return isSignedValue(keys, key_id, { number, place, hash, at, key_id }, signature)
}
