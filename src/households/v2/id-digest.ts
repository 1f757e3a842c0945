import { createSHA256 } from 'hash-wasm'

/** SHA-256 over ids that come a page at a time, perhaps each to another server: Node's own cannot be put down and taken up. */
export type IdDigest = {
  /** Takes the state up (empty: from the beginning) and adds a text. Undefined for a state of another version of the library. */
  add(state: string, text: string): { state: string; sha256: string } | undefined
}

export async function createIdDigest(): Promise<IdDigest> {
  const sha256 = await createSHA256()
  return {
    add(state, text) {
      try {
        if (state === '') sha256.init()
        else sha256.load(Buffer.from(state, 'base64url'))
      } catch {
        return undefined
      }
      const next = Buffer.from(sha256.update(text).save()).toString('base64url')
      return { state: next, sha256: sha256.digest('hex') }
    },
  }
}
