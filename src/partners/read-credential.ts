import type { Environment } from '../config.ts'
import { tokenRefusal } from '../http/refusals.ts'
import { parseToken, sha256 } from '../secrets/token-format.ts'
import { type AssertionRules, verifyAssertion } from './client-assertion.ts'
import type { ReadCredential } from './client-authentication.ts'
import { foreignEnvironment, isForeignClientId } from './client-id.ts'
import { shortestForeignSecret } from './taken-over.ts'

const jwtBearer = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/**
 * Reads the client's credential, which must be sent in exactly one way (RFC 6749 section 2.3): HTTP Basic, a secret in the
 * body, or an assertion (RFC 7521 section 4.2). The statement that acts on it decides whether a secret is correct.
 * @throws {DatabaseUnavailable} if the client's keys are not in memory and cannot be read
 */
export async function readClientCredential(
  authorization: string | undefined,
  body: Record<string, string>,
  rules: AssertionRules,
): Promise<ReadCredential> {
  const credentials = [authorization !== undefined, body.client_secret, body.client_assertion].filter(Boolean)
  if (credentials.length > 1) return tokenRefusal('authenticated_twice')
  if (body.client_assertion || body.client_assertion_type) return fromAssertion(body, rules)
  return authorization === undefined
    ? fromBody(body, rules.environment)
    : fromBasic(authorization, body, rules.environment)
}

async function fromAssertion(body: Record<string, string>, rules: AssertionRules): Promise<ReadCredential> {
  const { client_assertion: assertion, client_assertion_type: type, client_id: clientId } = body
  if (!assertion) return tokenRefusal('no_assertion')
  if (!type) return tokenRefusal('no_assertion_type')
  if (type !== jwtBearer) return tokenRefusal('assertion_type', jwtBearer)
  const read = await verifyAssertion(assertion, rules)
  if (read.kind === 'presented' && clientId && clientId !== read.credential.clientId) {
    return tokenRefusal('two_clients', 'client_assertion')
  }
  return read
}

function fromBody(body: Record<string, string>, environment: Environment): ReadCredential {
  const { client_id: clientId, client_secret: secret } = body
  if (!clientId) return tokenRefusal('no_client_id')
  if (!secret) return tokenRefusal('no_client_secret')
  return fromSecret('client_secret_post', clientId, secret, environment)
}

function fromBasic(
  authorization: string,
  body: Record<string, string>,
  environment: Environment,
): ReadCredential {
  const encoded = /^basic +([A-Za-z0-9+/_-]+={0,2})$/i.exec(authorization)?.[1]
  const text = encoded && Buffer.from(encoded, 'base64').toString()
  const cut = text ? text.indexOf(':') : -1
  if (!text || cut < 0) return tokenRefusal('basic_malformed')
  const clientId = formDecode(text.slice(0, cut))
  const secret = formDecode(text.slice(cut + 1))
  if (clientId === undefined || secret === undefined) return tokenRefusal('basic_malformed')
  if (body.client_id && body.client_id !== clientId) {
    return tokenRefusal('two_clients', 'Authorization header')
  }
  return fromSecret('client_secret_basic', clientId, secret, environment)
}

function fromSecret(
  method: 'client_secret_basic' | 'client_secret_post',
  clientId: string,
  text: string,
  environment: Environment,
): ReadCredential {
  const foreign = foreignEnvironment(clientId, environment)
  if (foreign) return tokenRefusal('client_wrong_environment', `${foreign}. This server is ${environment}`)
  // A partner that was taken over keeps its secret until the operator rotates it.
  if (isForeignClientId(clientId) && !text.startsWith('lk_')) {
    if (text.length < shortestForeignSecret) {
      return tokenRefusal('secret_too_short', String(shortestForeignSecret))
    }
    return { kind: 'presented', credential: { clientId, method, digest: sha256(text) } }
  }
  const secret = parseToken(text, environment, 'cs')
  if (secret.kind === 'refused') return tokenRefusal(`secret_${secret.reason}`, secret.explanation)
  return { kind: 'presented', credential: { clientId, method, digest: secret.hash } }
}

/**
 * Decodes once, after the split: RFC 6749 section 2.3.1 encodes each half separately, so a colon in a half is sent as %3A.
 * NUL is refused as in a body, because PostgreSQL's text type cannot store it.
 */
function formDecode(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '))
    return decoded.includes('\0') ? undefined : decoded
  } catch {
    return undefined
  }
}
