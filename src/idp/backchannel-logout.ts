import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from 'jose'
import { type Origin, originValue } from '../audit/origin.ts'
import type { Context } from '../context.ts'
import { sha256 } from '../secrets/token-format.ts'
import Type, { Compile } from '../typebox.ts'
import { endProviderSessions } from './backchannel-logout.sql.ts'
import { boundedFetch } from './bounded-fetch.ts'
import { providerFault } from './complete-login.ts'
import { type ProviderClients, ProviderUnavailable, reasonOf, requestSeconds } from './provider-clients.ts'
import type { Provider } from './providers.sql.ts'

/** Seconds: how much the provider's clock may differ, and how old a logout token may be. */
const clockTolerance = 30
const maxTokenAge = 300

/** Signature algorithms with public keys. With a secret or none, anyone who knows the client could sign. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'

/** Back-Channel Logout 1.0 section 2.4. `events` and `nonce` are checked below. */
const Claims = Compile(
  Type.Object({
    iat: Type.Number(),
    exp: Type.Optional(Type.Number()),
    jti: Type.String({ minLength: 1, maxLength: 500 }),
    sub: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    sid: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
    events: Type.Object({ [logoutEvent]: Type.Object({}) }),
  }),
)

export type LogoutOutcome =
  | { kind: 'ended'; sessions: number }
  /** The token is not a valid logout token of this provider, or was used before. */
  | { kind: 'refused'; reason: string }
  /** The provider's keys cannot be read. The provider may send the token again. */
  | { kind: 'unavailable'; reason: string }

type KeySet = { address: string; keys: ReturnType<typeof createRemoteJWKSet> }

/** Receives logout tokens. Caches the keys of each provider; an unknown key id reads them again, at most once in 30 seconds. */
export class BackchannelLogout {
  readonly #context: Context
  readonly #providers: ProviderClients
  readonly #keySets = new Map<string, KeySet>()

  constructor(context: Context, providers: ProviderClients) {
    this.#context = context
    this.#providers = providers
  }

  /**
   * Ends the browser sessions that the token names.
   * @throws {DatabaseUnavailable}
   */
  async receive(origin: Origin, provider: Provider, token: string): Promise<LogoutOutcome> {
    let payload: JWTPayload
    try {
      // Not `use`: forged tokens must not take the places of logins.
      const { jwks_uri: jwksUri = '' } = (await this.#providers.configuration(provider)).serverMetadata()
      payload = await this.#verify(provider, jwksUri, token)
    } catch (error) {
      return refusalOf(error)
    }
    if (!Claims.Check(payload)) return { kind: 'refused', reason: 'a required claim is missing or malformed' }
    const { sub, sid, jti, iat, exp = iat + maxTokenAge } = payload
    if ('nonce' in payload) return { kind: 'refused', reason: 'the token has a nonce, so it is an id_token' }
    if (sub === undefined && sid === undefined) return { kind: 'refused', reason: 'neither sub nor sid' }
    const { is_new: isNew, ended } = await this.#context.database.one(endProviderSessions, [
      sha256(`${provider.issuer} ${jti}`),
      new Date((Math.max(exp, iat + maxTokenAge) + 2 * clockTolerance) * 1000),
      ...[provider.id, sub ?? null, sid ?? null, originValue(origin)],
    ])
    return isNew
      ? { kind: 'ended', sessions: ended }
      : { kind: 'refused', reason: 'the token was used before' }
  }

  async #verify(
    { id, issuer, client_id: audience }: Provider,
    jwksUri: string,
    token: string,
  ): Promise<JWTPayload> {
    const verified = await jwtVerify(token, this.#keySet(id, jwksUri), {
      algorithms,
      issuer,
      audience,
      clockTolerance,
      maxTokenAge,
      requiredClaims: ['iat', 'jti'],
      currentDate: this.#context.now(),
    })
    const { typ } = verified.protectedHeader
    // Providers from before the final specification send no type, or JWT. An id_token has no `events`.
    if (typ !== undefined && !/^(application\/)?(logout\+jwt|jwt)$/i.test(typ)) {
      throw new errors.JWTInvalid(`the token has the type ${typ}`)
    }
    return verified.payload
  }

  #keySet(id: string, address: string): KeySet['keys'] {
    const known = this.#keySets.get(id)
    if (known?.address === address) return known.keys
    if (!URL.canParse(address)) throw new ProviderUnavailable('the metadata has no jwks_uri')
    const keys = createRemoteJWKSet(new URL(address), {
      timeoutDuration: requestSeconds * 1000,
      cacheMaxAge: 300_000,
      [customFetch]: boundedFetch,
    })
    this.#keySets.set(id, { address, keys })
    return keys
  }
}

function refusalOf(error: unknown): LogoutOutcome {
  if (
    error instanceof errors.JWKSTimeout ||
    (error instanceof errors.JOSEError && error.code === 'ERR_JOSE_GENERIC')
  ) {
    return { kind: 'unavailable', reason: reasonOf(error) }
  }
  if (error instanceof errors.JOSEError) return { kind: 'refused', reason: reasonOf(error) }
  const fault = providerFault(error)
  if (fault) return { kind: 'unavailable', reason: fault.reason }
  throw error
}
