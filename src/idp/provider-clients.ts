import {
  allowInsecureRequests,
  type Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
} from 'openid-client'
import type { SecretKeys } from '../secrets/derived-keys.ts'
import { boundedFetch } from './bounded-fetch.ts'
import { clientAuth } from './credential.ts'
import type { Provider } from './providers.sql.ts'

/** Seconds that a request to a provider may take. A user waits for the answer. */
export const requestSeconds = 5

/** Milliseconds after which the metadata of a provider is read again, and for which it is used at most if that fails. */
const freshMs = 3_600_000
const staleMs = 24 * freshMs

/** After a failure, the server sends no request to the provider for this long. */
const pauseMs = 5000

/** Requests that may wait for one provider in this process. A provider that hangs must not collect more. */
const maxWaiting = 64

/** The provider cannot be used now: it cannot be reached, hangs, or answers with an error. */
export class ProviderUnavailable extends Error {}

/** The metadata names another issuer than the operator configured. Someone else may control the address now. */
export class IssuerChanged extends Error {}

type Entry = {
  /** The settings that the configuration was made from. */
  madeFrom: string
  /** Milliseconds since the epoch. Before this moment, `current` decides. */
  until: number
  current: Promise<Configuration>
  last?: { configuration: Configuration; readAt: number }
}

/**
 * The configured providers with their metadata, in the memory of this process. `openid-client` caches their keys for five
 * minutes and reads them again for an unknown key id, at most once a minute.
 */
export class ProviderClients {
  readonly #keys: SecretKeys
  readonly #now: () => Date
  readonly #entries = new Map<string, Entry>()
  readonly #waiting = new Map<string, number>()

  constructor({ keys, now }: { keys: SecretKeys; now: () => Date }) {
    this.#keys = keys
    this.#now = now
  }

  /**
   * Works with a provider: with its metadata, which is read if it is not in memory or too old.
   * @throws {ProviderUnavailable} if the metadata cannot be read, or too many requests are waiting
   * @throws {IssuerChanged}
   * @throws {UnreadableSecret}
   */
  async use<T>(provider: Provider, work: (client: Configuration) => Promise<T>): Promise<T> {
    const waiting = this.#waiting.get(provider.id) ?? 0
    if (waiting >= maxWaiting) throw new ProviderUnavailable('too many requests are waiting for the provider')
    this.#waiting.set(provider.id, waiting + 1)
    try {
      return await work(await this.configuration(provider))
    } finally {
      const left = (this.#waiting.get(provider.id) ?? 1) - 1
      if (left > 0) this.#waiting.set(provider.id, left)
      else this.#waiting.delete(provider.id)
    }
  }

  /** The provider with its metadata. @throws as `use` */
  configuration(provider: Provider): Promise<Configuration> {
    const { id, issuer, client_id, auth_method, credential } = provider
    const madeFrom = JSON.stringify([issuer, client_id, auth_method, credential])
    const known = this.#entries.get(id)
    const usable = known?.madeFrom === madeFrom ? known : undefined
    const now = this.#now().getTime()
    if (usable && now < usable.until) return usable.current
    const entry: Entry = { madeFrom, until: now + freshMs, current: this.#read(provider, usable?.last) }
    if (usable?.last) entry.last = usable.last
    this.#entries.set(id, entry)
    entry.current.then(
      (configuration) => {
        if (configuration === entry.last?.configuration) entry.until = now + pauseMs
        else entry.last = { configuration, readAt: now }
      },
      () => {
        entry.until = this.#now().getTime() + pauseMs
      },
    )
    return entry.current
  }

  async #read(provider: Provider, last: Entry['last']): Promise<Configuration> {
    try {
      return await discover(provider, this.#keys)
    } catch (error) {
      const isRecent = last && this.#now().getTime() - last.readAt < staleMs
      if (isRecent && error instanceof ProviderUnavailable) return last.configuration
      throw error
    }
  }
}

/**
 * Reads the metadata of a provider (OpenID Connect Discovery section 4).
 * @throws {ProviderUnavailable} @throws {IssuerChanged} @throws {UnreadableSecret}
 */
export async function discover(provider: Provider, keys: SecretKeys): Promise<Configuration> {
  const auth = await clientAuth(keys, provider)
  const issuer = new URL(provider.issuer)
  const client = await discovery(issuer, provider.client_id, undefined, auth, {
    timeout: requestSeconds,
    [customFetch]: (address, { body, ...options }) =>
      boundedFetch(address, { ...options, body: body instanceof URLSearchParams ? body : null }),
    // `boundedFetch` allows http only on the loopback interface.
    execute: [enableNonRepudiationChecks, ...(issuer.protocol === 'http:' ? [allowInsecureRequests] : [])],
  }).catch((error: unknown) => {
    throw issuerFault(error, provider) ?? unavailable('the metadata', error)
  })
  const found = client.serverMetadata().issuer
  // `openid-client` accepts some issuers that differ, such as those of Entra ID for any tenant.
  if (found !== provider.issuer) throw issuerChanged(provider, found)
  return client
}

function issuerFault(error: unknown, provider: Provider): IssuerChanged | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  if (error.code !== 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED') return undefined
  const { cause } = error
  const body = typeof cause === 'object' && cause !== null && 'body' in cause ? cause.body : undefined
  const issuer = typeof body === 'object' && body !== null && 'issuer' in body ? body.issuer : undefined
  return issuerChanged(provider, issuer)
}

function issuerChanged({ issuer }: Provider, found: unknown): IssuerChanged {
  return new IssuerChanged(`the metadata at ${issuer} names the issuer ${JSON.stringify(found)}`)
}

function unavailable(what: string, cause: unknown): ProviderUnavailable {
  return new ProviderUnavailable(`${what} cannot be read: ${reasonOf(cause)}`, { cause })
}

/** The message of an error and of its causes, for the log and the operator. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? `: ${reasonOf(error.cause)}` : ''
  const code = 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : ''
  return `${error.message}${code}${cause}`
}
