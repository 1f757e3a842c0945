import type { Environment } from '../config.ts'
import { parseToken } from '../secrets/token-format.ts'
import { foreignEnvironment } from './client-id.ts'

export type ClientCredentials =
  | { kind: 'presented'; clientId: string; secretHash: Buffer }
  | { kind: 'refused'; error: 'invalid_request' | 'invalid_client'; explanation: string }

/**
 * The client's id and secret, by Basic or in the body (RFC 6749 section 2.3.1). Whether they are right is for the
 * statement that acts on them to say; here they are only read.
 */
export function readClientCredentials(
  authorization: string | undefined,
  body: Record<string, string>,
  environment: Environment,
): ClientCredentials {
  const read = authorization === undefined ? fromBody(body) : fromBasic(authorization, body)
  if ('kind' in read) return read
  const foreign = foreignEnvironment(read.clientId, environment)
  if (foreign) {
    return refused('invalid_client', `the client_id belongs to ${foreign}, and this is ${environment}`)
  }
  const secret = parseToken(read.secret, environment, 'cs')
  if (secret.kind === 'refused') return refused('invalid_client', `client_secret: ${secret.explanation}`)
  return { kind: 'presented', clientId: read.clientId, secretHash: secret.hash }
}

type Read = { clientId: string; secret: string } | (ClientCredentials & { kind: 'refused' })

function fromBody(body: Record<string, string>): Read {
  const { client_id: clientId, client_secret: secret } = body
  if (!clientId) return refused('invalid_request', 'client_id is missing')
  if (!secret) return refused('invalid_client', 'client_secret is missing')
  return { clientId, secret }
}

function fromBasic(authorization: string, body: Record<string, string>): Read {
  if (body.client_secret) {
    return refused(
      'invalid_request',
      'the client is authenticated twice; use the Authorization header or the body',
    )
  }
  const encoded = /^basic +([A-Za-z0-9+/_-]+={0,2})$/i.exec(authorization)?.[1]
  const text = encoded && Buffer.from(encoded, 'base64').toString()
  const cut = text ? text.indexOf(':') : -1
  if (!text || cut < 0)
    return refused('invalid_client', 'the Authorization header is not valid Basic authentication')
  const clientId = formDecode(text.slice(0, cut))
  const secret = formDecode(text.slice(cut + 1))
  if (clientId === undefined || secret === undefined) {
    return refused('invalid_client', 'the Basic credentials are not form-encoded (RFC 6749 section 2.3.1)')
  }
  if (body.client_id && body.client_id !== clientId) {
    return refused('invalid_request', 'client_id in the body is not the one of the Authorization header')
  }
  return { clientId, secret }
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

function refused(error: 'invalid_request' | 'invalid_client', explanation: string) {
  return { kind: 'refused', error, explanation } as const
}
