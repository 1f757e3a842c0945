import { verify } from 'node:crypto'
import { boundedFetch } from '../idp/bounded-fetch.ts'
import Type, { Compile, type Static } from '../typebox.ts'

/** Milliseconds for which the keys of the scanner are kept, and between two requests because of an unknown key. */
const keysLife = 60 * 60 * 1000
const pause = 60 * 1000
const requestMs = 5000

const PublishedKeys = Type.Object({
  public_keys: Type.Array(
    Type.Object({ key_identifier: Type.String(), key: Type.String(), is_current: Type.Boolean() }),
  ),
})
const publishedKeys = Compile(PublishedKeys)

const foundSecrets = Compile(
  Type.Array(
    Type.Object({ token: Type.String(), url: Type.Optional(Type.Union([Type.String(), Type.Null()])) }),
  ),
)
export type FoundSecret = { token: string; url?: string | null }

/** The body is not in the format of the programme. */
export class NotAReport extends Error {}

/** The report cannot be checked now. The scanner may send it again. */
export class KeysUnavailable extends Error {}

/**
 * Checks the reports of GitHub's secret scanning partner programme: an ECDSA signature (P-256, SHA-256) over the body, by one
 * of the keys that the scanner publishes.
 */
export class SecretScanning {
  readonly #keysUrl: string
  readonly #now: () => Date
  #keys = new Map<string, string>()
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined

  constructor(keysUrl: string, now: () => Date) {
    this.#keysUrl = keysUrl
    this.#now = now
  }

  /** Whether the scanner signed this body. @throws {KeysUnavailable} */
  async isSigned(body: Buffer, keyId: string, signature: string): Promise<boolean> {
    const key = await this.#keyOf(keyId)
    if (key === undefined) return false
    try {
      return verify('sha256', body, key, Buffer.from(signature, 'base64'))
    } catch {
      return false // a signature that is not DER, or a key that is not a key
    }
  }

  async #keyOf(keyId: string): Promise<string | undefined> {
    const age = this.#now().getTime() - this.#readAt
    if (age > keysLife || (age > pause && !this.#keys.has(keyId))) {
      this.#reading ??= this.#read().finally(() => {
        this.#reading = undefined
      })
      await this.#reading
    }
    return this.#keys.get(keyId)
  }

  async #read(): Promise<void> {
    const { public_keys: keys } = await this.#fetch().catch((cause) => {
      throw new KeysUnavailable('the keys of the secret scanner cannot be read', { cause })
    })
    this.#keys = new Map(keys.map(({ key_identifier: id, key }) => [id, key]))
    this.#readAt = this.#now().getTime()
  }

  async #fetch(): Promise<Static<typeof PublishedKeys>> {
    const response = await boundedFetch(this.#keysUrl, {
      method: 'GET',
      headers: { accept: 'application/json', 'user-agent': 'latchkey' },
      signal: AbortSignal.timeout(requestMs),
    })
    return publishedKeys.Parse(await response.json())
  }
}

/** @throws {NotAReport} */
export function readReport(body: Buffer): FoundSecret[] {
  try {
    return foundSecrets.Parse(JSON.parse(body.toString()))
  } catch (cause) {
    throw new NotAReport('the body is not a list of found secrets', { cause })
  }
}
