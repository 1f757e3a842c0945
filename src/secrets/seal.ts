import { CompactEncrypt, compactDecrypt, errors } from 'jose'

const algorithm = 'dir'
const encryption = 'A256GCM'

/** JSON under authenticated encryption (JWE, RFC 7516): without the 256-bit key it is neither read nor changed. */
export function sealJson(content: unknown, key: Buffer): Promise<string> {
  return new CompactEncrypt(Buffer.from(JSON.stringify(content)))
    .setProtectedHeader({ alg: algorithm, enc: encryption })
    .encrypt(key)
}

/** @returns what was sealed, for the caller to parse; undefined when it was not sealed under this key */
export async function openJson(sealed: string, key: Buffer): Promise<unknown> {
  if (!isCanonical(sealed)) return undefined
  try {
    // The header is the sender's: left to choose, it could ask for another algorithm (RFC 8725 section 3.1).
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

/** Decoders ignore padding, spaces and bits that mean nothing: without this check, one sealed value has many texts. */
function isCanonical(sealed: string): boolean {
  return sealed.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)
}
