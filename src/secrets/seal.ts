import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const authTagLength = 16
const ivLength = 12

/** Of every sealed text. The sender writes the header of a JWE, so no other is accepted (RFC 8725 section 3.1). */
const header = Buffer.from('{"alg":"dir","enc":"A256GCM"}').toString('base64url')
const authenticated = Buffer.from(header)

/**
 * Encrypts and authenticates JSON (JWE, RFC 7516): without the 256-bit key it cannot be read or changed.
 *
 * Not with WebCrypto or `jose`, which uses it: they do the work in another thread. For a few kilobytes, waking that thread
 * costs many times the encryption, and a login seals and opens several texts.
 */
export function sealJson(content: unknown, key: Buffer): string {
  const iv = randomBytes(ivLength)
  const cipher = createCipheriv(algorithm, key, iv, { authTagLength }).setAAD(authenticated)
  const text = Buffer.concat([cipher.update(JSON.stringify(content)), cipher.final()])
  const parts = [iv, text, cipher.getAuthTag()].map((part) => part.toString('base64url'))
  // The second part is the encrypted key, which `dir` does not have.
  return [header, '', ...parts].join('.')
}

/**
 * @param keys are tried in this order
 * @returns the sealed JSON, which the caller checks against a schema; undefined if it was not sealed with one of the keys
 */
export function openJson(sealed: string, keys: readonly Buffer[]): unknown {
  const [first, encryptedKey, ...rest] = sealed.split('.')
  const [iv, text, tag, ...more] = rest.map(canonicalBytes)
  if (first !== header || encryptedKey !== '' || more.length > 0) return undefined
  if (iv?.length !== ivLength || text === undefined || tag?.length !== authTagLength) return undefined
  for (const key of keys) {
    const decipher = createDecipheriv(algorithm, key, iv, { authTagLength })
    const opened = decipher.setAAD(authenticated).setAuthTag(tag).update(text)
    if (isAuthentic(decipher)) return JSON.parse(opened.toString())
  }
  return undefined
}

/** Checks the tag. For GCM, there is no other reason to fail. */
function isAuthentic(decipher: { final(): Buffer }): boolean {
  try {
    decipher.final()
    return true
  } catch {
    return false
  }
}

/** Decoders ignore padding, spaces and unused bits. Without this check, many texts would open as the same sealed value. */
function canonicalBytes(part: string): Buffer | undefined {
  const bytes = Buffer.from(part, 'base64url')
  return bytes.toString('base64url') === part ? bytes : undefined
}
