import { createHmac, createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { SecretKeys } from '../secrets/derived-keys.ts'
import { openStored, sealStored, UnreadableSecret } from '../secrets/stored-secret.ts'

/** How deliveries are signed: with a shared secret, or with a private key that never leaves the deployment. */
export const secretKinds = ['hmac', 'ed25519'] as const
export type SecretKind = (typeof secretKinds)[number]

/** A new secret as the database stores it. `shown` is what the partner gets once, `publicKey` what may always be shown. */
export type NewSecret = { sealed: string; publicKey: Buffer | null; shown: string | null }

/** The DER encodings of ed25519 keys end with the 32 bytes of the key (RFC 8410). */
const rawKeyBytes = 32
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Makes a secret as the Standard Webhooks specification writes it: `whsec_…`, or `whsk_…` with the public key. */
export function newSecret(keys: SecretKeys, kind: SecretKind): NewSecret {
  if (kind === 'hmac') {
    const secret = `whsec_${randomBytes(32).toString('base64')}`
    return { sealed: sealStored(keys, secret), publicKey: null, shown: secret }
  }
  const pair = generateKeyPairSync('ed25519')
  const privateKey = pair.privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-rawKeyBytes)
  const publicKey = pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-rawKeyBytes)
  return { sealed: sealStored(keys, `whsk_${privateKey.toString('base64')}`), publicKey, shown: null }
}

/**
 * The value of `webhook-signature`: one signature for each secret, separated by spaces. An older secret that cannot be read is
 * left out: receivers know the newest one.
 * @param sealed newest first
 * @param content `{id}.{timestamp}.{body}`
 * @returns undefined if the newest secret was sealed under a secret that is not configured
 */
export function signatures(keys: SecretKeys, sealed: readonly string[], content: string): string | undefined {
  const [newest, ...older] = sealed.map((each) => openIfConfigured(keys, each))
  if (newest === undefined) return undefined
  const readable = older.filter((secret) => secret !== undefined)
  return [newest, ...readable].map((secret) => signature(secret, content)).join(' ')
}

function openIfConfigured(keys: SecretKeys, sealed: string): string | undefined {
  try {
    return openStored(keys, sealed)
  } catch (error) {
    if (error instanceof UnreadableSecret) return undefined
    throw error
  }
}

function signature(secret: string, content: string): string {
  const key = Buffer.from(secret.slice(secret.indexOf('_') + 1), 'base64')
  if (secret.startsWith('whsec_')) return `v1,${createHmac('sha256', key).update(content).digest('base64')}`
  const privateKey = createPrivateKey({
    key: Buffer.concat([pkcs8Prefix, key]),
    format: 'der',
    type: 'pkcs8',
  })
  return `v1a,${sign(null, Buffer.from(content), privateKey).toString('base64')}`
}
