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
