import { decodeJwt, decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from 'jose'
import type { Environment } from '../config.ts'
import { type TokenRefusal, tokenRefusal } from '../http/refusals.ts'
import { sha256 } from '../secrets/token-format.ts'
import Type, { Compile, type Static } from '../typebox.ts'
import type { ReadCredential } from './client-authentication.ts'
import { foreignEnvironment, isClientId, isForeignClientId } from './client-id.ts'
import type { ClientKey, ClientKeys } from './client-keys.ts'

/** Seconds: how much the client's clock may differ from the server's, and how long an assertion may be valid. */
const leeway = 30
const maxLifetime = 3600

const keyTypes = new Map([
  ['RS256', 'RSA'],
  ['PS256', 'RSA'],
  ['ES256', 'EC'],
])
export const assertionAlgorithms = [...keyTypes.keys()]

const Unverified = Type.Object({
  header: Type.Object({ alg: Type.String(), kid: Type.Optional(Type.String()) }),
  claims: Type.Object({ sub: Type.String() }),
})
const unverified = Compile(Unverified)

const Claims = Type.Object({
  exp: Type.Number(),
  iat: Type.Optional(Type.Number()),
  jti: Type.String({ minLength: 1, maxLength: 256 }),
})
const claims = Compile(Claims)

export type AssertionRules = {
  environment: Environment
  /** The accepted values of `aud`. Error messages recommend the first. */
  audiences: [string, ...string[]]
  keys: ClientKeys
  now: Date
}

/**
 * Checks the signature and the claims of a client's assertion (RFC 7523 section 3). The statement that acts on it checks
 * that the key is still registered and that the jti is new. The signature is checked first, so that only a client that has
 * the key learns which claim is invalid.
 * @throws {DatabaseUnavailable} if the client's keys are not in memory and cannot be read
 */
export async function verifyAssertion(text: string, rules: AssertionRules): Promise<ReadCredential> {
  const found = decode(text)
  if (!found) return tokenRefusal('assertion_malformed')
  const { alg, kid } = found.header
  const clientId = found.claims.sub
  const kty = keyTypes.get(alg)
  if (!kty) return tokenRefusal('assertion_algorithm', assertionAlgorithms.join(', '))
  const foreign = foreignEnvironment(clientId, rules.environment)
  if (foreign) {
    return tokenRefusal('assertion_wrong_environment', `${foreign}. This server is ${rules.environment}`)
  }
  const fits = ({ jwk }: ClientKey) =>
    jwk.kty === kty && (jwk.alg ?? alg) === alg && (kid === undefined || kid === jwk.kid)
  try {
    for await (const known of isClientId(clientId) || isForeignClientId(clientId)
      ? rules.keys(clientId, rules.now)
      : []) {
      const signed = await verifyBy(known.filter(fits), text, clientId, rules)
      if (signed) return credentialOf(clientId, signed, rules)
    }
  } catch (error) {
    return explain(error, rules)
  }
  return tokenRefusal('assertion_unverified')
}

function decode(text: string): Static<typeof Unverified> | undefined {
  try {
    const found = { header: decodeProtectedHeader(text), claims: decodeJwt(text) }
    return unverified.Check(found) ? found : undefined
  } catch {
    return undefined
  }
}

type Signed = { payload: JWTPayload; key: ClientKey }

/** @throws {errors.JOSEError} if the signature is valid and a claim is not */
async function verifyBy(
  candidates: ClientKey[],
  text: string,
  clientId: string,
  { audiences, now }: AssertionRules,
): Promise<Signed | undefined> {
  for (const key of candidates) {
    try {
      const { payload } = await jwtVerify(text, key.key, {
        algorithms: assertionAlgorithms,
        issuer: clientId,
        subject: clientId,
        audience: audiences,
        requiredClaims: ['exp', 'jti'],
        clockTolerance: leeway,
        currentDate: now,
      })
      return { payload, key }
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error
    }
  }
  return undefined
}

function credentialOf(clientId: string, { payload, key }: Signed, rules: AssertionRules): ReadCredential {
  if (!claims.Check(payload)) return claimRefused('jti', rules)
  const { exp, iat, jti } = payload
  const now = rules.now.getTime() / 1000
  if (exp > now + maxLifetime + leeway) return claimRefused('exp', rules)
  if (iat !== undefined && iat > now + leeway) return claimRefused('iat', rules)
  const assertion = { hash: sha256(`${clientId} ${jti}`), expiresAt: new Date((exp + leeway) * 1000) }
  const credential = { clientId, method: 'private_key_jwt', digest: key.thumbprint, assertion } as const
  return { kind: 'presented', credential }
}

function explain(error: unknown, rules: AssertionRules): TokenRefusal {
  if (error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired) {
    return claimRefused(error.claim, rules)
  }
  if (error instanceof errors.JOSEError) return tokenRefusal('assertion_malformed')
  throw error
}

function claimRefused(claim: string, { audiences }: AssertionRules): TokenRefusal {
  switch (claim) {
    case 'aud':
      return tokenRefusal('assertion_aud', audiences[0])
    case 'exp':
      return tokenRefusal('assertion_exp', String(maxLifetime))
    case 'iss':
    case 'nbf':
    case 'iat':
    case 'jti':
      return tokenRefusal(`assertion_${claim}`)
    default:
      return tokenRefusal('assertion_claim')
  }
}
