import { CompactEncrypt, compactDecrypt, errors } from 'jose'

const algorithm = 'dir'
const encryption = 'A256GCM'

/** Encrypts and authenticates JSON (JWE, RFC 7516): without the 256-bit key it cannot be read or changed. */
export function sealJson(content: unknown, key: Buffer): Promise<string> {
  return new CompactEncrypt(Buffer.from(JSON.stringify(content)))
    .setProtectedHeader({ alg: algorithm, enc: encryption })
    .encrypt(key)
}

/**
 * @param keys are tried in this order
 * @returns the sealed JSON, which the caller checks against a schema; undefined if it was not sealed with one of the keys
 */
export async function openJson(sealed: string, keys: readonly Buffer[]): Promise<unknown> {
  if (!isCanonical(sealed)) return undefined
  for (const key of keys) {
    const content = await openWith(sealed, key)
    if (content !== undefined) return content
  }
  return undefined
}

async function openWith(sealed: string, key: Buffer): Promise<unknown> {
  try {
    // The sender writes the JWE header. Without these lists it could select another algorithm (RFC 8725 section 3.1).
    const { plaintext } = await compactDecrypt(sealed, key, {
      keyManagementAlgorithms: [algorithm],
      contentEncryptionAlgorithms: [encryption],
    })
    return JSON.parse(Buffer.from(plaintext).toString())
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}

/** Decoders ignore padding, spaces and unused bits. Without this check, many texts would open as the same sealed value. */
function isCanonical(sealed: string): boolean {
  return sealed.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)
}
