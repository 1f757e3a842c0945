import { createSHA256 } from 'hash-wasm'

/** SHA-256 over ids that come a page at a time, each perhaps to another server: Node's own cannot be put down and taken up. */
export type IdDigest = {
  /** Takes a state up (empty: the beginning) and adds a text. Undefined for a state that the library does not know. */
  add(state: string, text: string): { state: string; sha256: string } | undefined
}

export async function createIdDigest(): Promise<IdDigest> {
  const sha256 = await createSHA256()
  // Loaded, where `init` would leave the bytes of the block before: they are ids of another user's, and `save` gives them.
  const beginning = sha256.init().save()
  return {
    add(state, text) {
      try {
        sha256.load(state === '' ? beginning : Buffer.from(state, 'base64url'))
      } catch {
        return undefined
      }
      const next = Buffer.from(sha256.update(text).save()).toString('base64url')
      return { state: next, sha256: sha256.digest('hex') }
    },
  }
}
