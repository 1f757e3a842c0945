import type { Environment } from '../config.ts'
import { parseToken } from '../secrets/token-format.ts'
import { type AssertionRules, verifyAssertion } from './client-assertion.ts'
import type { CredentialRefusal, ReadCredential } from './client-authentication.ts'
import { foreignEnvironment } from './client-id.ts'

const jwtBearer = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/**
 * What the client shows for itself, in exactly one of the ways there are (RFC 6749 section 2.3): Basic, a secret in the
 * body, or an assertion (RFC 7521 section 4.2). Whether a secret is right is for the statement that acts on it to say.
 * @throws {DatabaseUnavailable} when the client's keys have to be looked up
 */
export async function readClientCredential(
  authorization: string | undefined,
  body: Record<string, string>,
  rules: AssertionRules,
): Promise<ReadCredential> {
  const ways = [authorization !== undefined, body.client_secret, body.client_assertion].filter(Boolean)
  if (ways.length > 1) {
    const explanation =
      'the client is authenticated twice; use the Authorization header or the body, and one credential'
    return refused('invalid_request', 'authenticated_twice', explanation)
  }
  if (body.client_assertion || body.client_assertion_type) return fromAssertion(body, rules)
  return authorization === undefined
    ? fromBody(body, rules.environment)
    : fromBasic(authorization, body, rules.environment)
}

async function fromAssertion(body: Record<string, string>, rules: AssertionRules): Promise<ReadCredential> {
  const { client_assertion: assertion, client_assertion_type: type, client_id: clientId } = body
  if (!assertion) return refused('invalid_request', 'no_assertion', 'client_assertion is missing')
  if (!type) return refused('invalid_request', 'no_assertion_type', 'client_assertion_type is missing')
  if (type !== jwtBearer) {
    return refused('invalid_client', 'assertion_type', `client_assertion_type must be ${jwtBearer}`)
  }
  const read = await verifyAssertion(assertion, rules)
  if (read.kind === 'presented' && clientId && clientId !== read.credential.clientId) {
    return refused('invalid_request', 'two_clients', 'client_id is not the one of the client_assertion')
  }
  return read
}

function fromBody(body: Record<string, string>, environment: Environment): ReadCredential {
  const { client_id: clientId, client_secret: secret } = body
  if (!clientId) return refused('invalid_request', 'no_client_id', 'client_id is missing')
  if (!secret) return refused('invalid_client', 'no_client_secret', 'client_secret is missing')
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
  if (!text || cut < 0) {
    const explanation = 'the Authorization header is not valid Basic authentication'
    return refused('invalid_client', 'basic_malformed', explanation)
  }
  const clientId = formDecode(text.slice(0, cut))
  const secret = formDecode(text.slice(cut + 1))
  if (clientId === undefined || secret === undefined) {
    const explanation = 'the Basic credentials are not form-encoded (RFC 6749 section 2.3.1)'
    return refused('invalid_client', 'basic_malformed', explanation)
  }
  if (body.client_id && body.client_id !== clientId) {
    const explanation = 'client_id in the body is not the one of the Authorization header'
    return refused('invalid_request', 'two_clients', explanation)
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
  if (foreign) {
    const explanation = `the client_id belongs to ${foreign}, and this is ${environment}`
    return refused('invalid_client', 'client_wrong_environment', explanation)
  }
  const secret = parseToken(text, environment, 'cs')
  if (secret.kind === 'refused') {
    return refused('invalid_client', `secret_${secret.reason}`, `client_secret: ${secret.explanation}`)
  }
  return { kind: 'presented', credential: { clientId, method, digest: secret.hash } }
}

/**
 * Once, and after the split: RFC 6749 encodes each half by itself, so a colon inside one arrives as %3A. NUL is refused
 * as in a body, since PostgreSQL's text cannot hold it.
 */
function formDecode(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '))
    return decoded.includes('\0') ? undefined : decoded
  } catch {
    return undefined
  }
}

function refused(
  error: 'invalid_request' | 'invalid_client',
  reason: string,
  explanation: string,
): CredentialRefusal {
  return { kind: 'refused', error, reason, explanation }
}
