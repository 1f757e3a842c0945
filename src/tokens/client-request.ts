import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { logOnce } from '../http/log.ts'
import {
  type Form,
  type Parameters,
  parametersOf,
  parseForm,
  printableName,
  rawQuery,
} from '../http/parameters.ts'
import { type LogReason, type TokenRefusal, tokenRefusal } from '../http/refusals.ts'
import type { ClientCredential } from '../partners/client-authentication.ts'
import { isClientId } from '../partners/client-id.ts'
import { type ClientKeys, clientKeys } from '../partners/client-keys.ts'
import { readClientCredential } from '../partners/read-credential.ts'

export type ClientEndpoint = 'token' | 'revoke' | 'introspect'

const secretParameters = [
  'client_secret',
  'client_assertion',
  'code',
  'refresh_token',
  'token',
  'code_verifier',
]

type ReadRequest = { kind: 'read'; client: ClientCredential; body: Record<string, string> }

/** What the endpoints that a client authenticates at share: read the request, act on it, and log for whom. */
export function clientRequests(context: Context) {
  const keys = clientKeys(context.database)

  return async function withClient<
    Done extends {
      kind: 'issued' | 'revoked' | 'nothing_to_revoke' | 'active' | 'inactive'
      endedConnection?: string
    },
  >(
    request: FastifyRequest,
    endpoint: ClientEndpoint,
    act: (client: ClientCredential, body: Record<string, string>) => Promise<Done | TokenRefusal>,
  ): Promise<Done | TokenRefusal> {
    const read = await readRequest(request, endpoint, context, keys)
    const outcome = read.kind === 'refused' ? read : await act(read.client, read.body)
    logOnce(request, {
      event: endpoint,
      outcome: outcome.kind === 'refused' ? (outcome.reason satisfies LogReason) : outcome.kind,
      ...('endedConnection' in outcome && { ended_connection: outcome.endedConnection }),
      // Another text sent as a client_id may be a secret in the wrong place.
      ...(read.kind === 'read' && isClientId(read.client.clientId) && { client_id: read.client.clientId }),
    })
    return outcome
  }
}

/** The checks in order: nothing secret in the address, the parameters, then who asks. */
async function readRequest(
  request: FastifyRequest,
  endpoint: ClientEndpoint,
  { config, now }: Context,
  keys: ClientKeys,
): Promise<ReadRequest | TokenRefusal> {
  const query = parametersOf(parseForm(rawQuery(request.url)))
  const exposed = secretParameters.find((name) => name in query.values)
  if (exposed) return tokenRefusal('secret_in_query', exposed)
  const body = readBody(request.body)
  if (!body) return tokenRefusal('unreadable_body')
  const [twice] = body.repeated
  if (twice !== undefined) return tokenRefusal('repeated_parameter', printableName(twice))
  const oauth2 = `${config.baseUrl}oauth2/`
  const read = await readClientCredential(request.headers.authorization, body.values, {
    environment: config.environment,
    audiences: [config.authUrl, `${oauth2}token`, `${oauth2}${endpoint}`],
    keys,
    now: now(),
  })
  if (read.kind === 'refused') return read
  return { kind: 'read', client: read.credential, body: body.values }
}

/** A form or a JSON object, either way of strings only. */
function readBody(body: unknown): Parameters | undefined {
  if (body === undefined || body === null) return parametersOf()
  if (typeof body !== 'object' || Array.isArray(body)) return undefined
  const form: Form = Object.create(null)
  for (const [name, value] of Object.entries(body)) {
    if (typeof value !== 'string' && !isStrings(value)) return undefined
    if ([value].flat().some((text) => text.includes('\0'))) return undefined // PostgreSQL's text cannot hold it
    form[name] = value
  }
  return parametersOf(form)
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
