import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import type { SecretKeys } from '../secrets/derived-keys.ts'
import { canonicalJson } from './chain-hash.ts'

/** What a server has signed: the hash of the chain at a place, and with it everything before. `hash` is hexadecimal. */
export type Checkpoint = { number: string; place: string; hash: string; at: string; key_id: string }

/** The signature is in base64url. */
export type SignedCheckpoint = Checkpoint & { signature: string }

/** PKCS #8 of an Ed25519 private key, before its 32 bytes (RFC 8410). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The Ed25519 key that is derived from the secret. */
function privateKeyOf(seed: Buffer): KeyObject {
  return createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' })
}

/** Signs a value with the current secret. @returns the signature in base64url */
export function signValue({ current }: SecretKeys, value: object): string {
  return sign(null, Buffer.from(canonicalJson(value)), privateKeyOf(current.audit)).toString('base64url')
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
    verify(null, text, createPublicKey(privateKeyOf(audit)), Buffer.from(signature, 'base64url')),
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
