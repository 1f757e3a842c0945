import { createPrivateKey, type KeyObject } from 'node:crypto'

/** PKCS #8 of an Ed25519 private key, before its 32 bytes (RFC 8410). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The Ed25519 private key of a derived key: 32 bytes. */
export function ed25519KeyOf(seed: Buffer): KeyObject {
  return createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' })
}
