import type { KeyObject } from 'node:crypto'
import { CompactSign, compactVerify, decodeProtectedHeader, errors } from 'jose'
import { DeveloperRole } from '../developer-keys/roles.ts'
import Type, { Compile, orNull, type Static } from '../typebox.ts'
import { mostEndpoints } from '../webhooks/endpoints.sql.ts'
import { encodedKeyOf, sandboxKeyOf } from './sandbox-key.ts'

/** RFC 8725 section 3.11: no other token of this service has this type. */
const type = 'latchkey-going-live+jwt'

/** Characters of the signed text. The logo is a third of it at most: 64 kB, in base64 twice. */
export const longestRequest = 200_000

const text = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '^[^\\u0000]*$' })
const uris = Type.Array(text(1000), { maxItems: 100 })

const RequestedPartner = Type.Object({
  name: text(100),
  redirect_uris: uris,
  post_logout_redirect_uris: uris,
  auth_methods: Type.Array(text(40), { maxItems: 3 }),
  /** A JWK Set with public keys, as JSON. */
  jwks: orNull(text(60_000)),
  require_pkce: Type.Boolean(),
  id_token_alg: text(10),
  id_token_on_refresh: Type.Boolean(),
  require_acr: orNull(text(100)),
  site: orNull(text(1000)),
  privacy_url: orNull(text(1000)),
  description: orNull(text(200)),
  /** PNG or WebP, in base64. */
  logo: orNull(text(90_000)),
})

/** What was found out about the application in the sandbox. */
const RequestedCheck = Type.Object({
  id: text(40),
  title: text(200),
  required: Type.Boolean(),
  done: Type.Boolean(),
  /** The fact that decided. */
  found: text(500),
})
export type RequestedCheck = Static<typeof RequestedCheck>

/** A developer whom production invites. */
export const RequestedDeveloper = Type.Object({
  email: text(254),
  name: text(500),
  role: DeveloperRole,
})
export type RequestedDeveloper = Static<typeof RequestedDeveloper>

/** What a sandbox asks of production. Times are in seconds since 1970. */
const GoingLiveRequest = Type.Object({
  /** The address of the sandbox. */
  iss: text(1000),
  /** The address of the production that it is for. */
  aud: text(1000),
  iat: Type.Integer(),
  exp: Type.Integer(),
  /** A request is opened once. */
  jti: Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }),
  sandbox_client_id: text(100),
  /** The redirect URIs in the sandbox, for comparison. */
  sandbox_redirect_uris: uris,
  /** Who asked, as the sandbox knows them. */
  requested_by: text(800),
  partner: RequestedPartner,
  webhooks: Type.Array(Type.Object({ url: text(1000), events: Type.Array(text(100), { maxItems: 100 }) }), {
    maxItems: mostEndpoints,
  }),
  developers: Type.Array(RequestedDeveloper, { maxItems: 200 }),
  contact: text(500),
  expected_volume: text(500),
  checks: Type.Array(RequestedCheck, { maxItems: 50 }),
})
export type GoingLiveRequest = Static<typeof GoingLiveRequest>

const requestSchema = Compile(GoingLiveRequest)

/** A compact JWS (RFC 7515) with an Ed25519 signature (RFC 8037): one line of text, which can be a file or part of a mail. */
export function signRequest(request: GoingLiveRequest, key: KeyObject): Promise<string> {
  return new CompactSign(Buffer.from(JSON.stringify(request)))
    .setProtectedHeader({ alg: 'EdDSA', typ: type, kid: encodedKeyOf(key) })
    .sign(key)
}

export type ReadRequest =
  | { kind: 'read'; request: GoingLiveRequest }
  /** It is not such a request, or only a part of one. */
  | { kind: 'malformed' }
  /** It says that a key has signed it that is not among the known ones. */
  | { kind: 'foreign' }
  /** It does not fit its signature. */
  | { kind: 'altered' }

/**
 * Verifies the signature before anything of the content is read. The key id in the header only selects one of the known keys.
 * @param known public keys, 32 bytes in base64url each
 */
export async function readRequest(signed: string, known: string[]): Promise<ReadRequest> {
  // Mail programs and editors break long lines.
  const compact = signed.replaceAll(/\s/g, '')
  if (compact.length > longestRequest) return { kind: 'malformed' }
  try {
    const { kid, typ } = decodeProtectedHeader(compact)
    if (typ !== type) return { kind: 'malformed' }
    const key = known.find((encoded) => encoded === kid)
    if (key === undefined) return { kind: 'foreign' }
    const { payload } = await compactVerify(compact, sandboxKeyOf(key), { algorithms: ['EdDSA'] })
    const content: unknown = JSON.parse(Buffer.from(payload).toString())
    return requestSchema.Check(content) ? { kind: 'read', request: content } : { kind: 'malformed' }
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed) return { kind: 'altered' }
    // jose throws a TypeError for a header that is not JSON.
    const isMalformed = [errors.JOSEError, SyntaxError, TypeError].some((known) => error instanceof known)
    if (isMalformed) return { kind: 'malformed' }
    throw error
  }
}
