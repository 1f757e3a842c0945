import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import type { RefusalReason } from '../errors/catalogue.ts'
import { type CallNotes, noteCall } from '../http/call-notes.ts'
import { logOnce } from '../http/log.ts'
import {
  type Form,
  type Parameters,
  parametersOf,
  parseForm,
  printableName,
  rawQuery,
} from '../http/parameters.ts'
import { type TokenRefusal, tokenRefusal } from '../http/refusals.ts'
import type { ClientCredential } from '../partners/client-authentication.ts'
import { isClientId } from '../partners/client-id.ts'
import { type ClientKeys, clientKeys } from '../partners/client-keys.ts'
import { readClientCredential } from '../partners/read-credential.ts'
import { type ClientEndpoint, isInvalidClient, type Limited, withinLimits } from './token-limits.ts'

const secretParameters = [
  'client_secret',
  'client_assertion',
  'code',
  'refresh_token',
  'token',
  'code_verifier',
]

type ReadRequest = { kind: 'read'; client: ClientCredential; body: Record<string, string> }

/** The steps that all endpoints with client authentication share: read the request, act on it, and log the outcome. */
export function clientRequests(context: Context) {
  const keys = clientKeys(context.database)

  return async function withClient<
    Done extends {
      kind: 'issued' | 'revoked' | 'nothing_to_revoke' | 'active' | 'inactive'
      endedConnection?: string
      grantId?: string
      aheadOfRow?: true
    },
  >(
    request: FastifyRequest,
    reply: FastifyReply,
    endpoint: ClientEndpoint,
    act: (client: ClientCredential, body: Record<string, string>) => Promise<Done | TokenRefusal>,
  ): Promise<Done | TokenRefusal | Limited> {
    const read = await readRequest(request, endpoint, context, keys)
    const outcome =
      read.kind === 'refused'
        ? read
        : await withinLimits(context, reply, { endpoint, ...read }, () => act(read.client, read.body))
    if (isInvalidClient(outcome)) await context.limits.failures.count(request.ip)
    noteCall(request, notesOf(read, outcome))
    logOnce(request, {
      event: endpoint,
      outcome: outcome.kind === 'refused' ? (outcome.reason satisfies RefusalReason) : outcome.kind,
      ...('endedConnection' in outcome && { ended_connection: outcome.endedConnection }),
      ...('aheadOfRow' in outcome && { ahead_of_row: 'accepted' }),
      // Text in another form is logged only of a partner that was taken over: it may be a secret that was sent as client_id
      // by mistake.
      ...(read.kind === 'read' &&
        (isClientId(read.client.clientId) || isAuthentic(outcome)) && {
          client_id: read.client.clientId,
        }),
    })
    return outcome
  }
}

/** Whether the statement has authenticated the client. */
function isAuthentic({ kind }: { kind: string }): boolean {
  return kind !== 'refused' && kind !== 'limited'
}

/**
 * For the request log. A refusal `invalid_grant` comes after the check of the credential, all others before it or because of
 * it: then the client_id is only what the caller claims.
 */
function notesOf(
  read: ReadRequest | TokenRefusal,
  outcome: { kind: string; grantId?: string } | TokenRefusal | Limited,
): CallNotes {
  const isRefusal = 'error' in outcome
  const isAuthenticated = isRefusal ? outcome.error === 'invalid_grant' : outcome.kind !== 'limited'
  return {
    outcome: isRefusal ? outcome.reason : outcome.kind,
    ...('grantId' in outcome && { grantId: outcome.grantId }),
    ...(read.kind === 'read' &&
      (isClientId(read.client.clientId) || isAuthenticated) && { clientId: read.client.clientId }),
    isAuthenticated,
  }
}

/** Checks in this order: no secret in the address, valid parameters, a valid client credential. */
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
  if (isJsonSentAsForm(body)) return tokenRefusal('json_as_form')
  const [repeated] = body.repeated
  if (repeated !== undefined) return tokenRefusal('repeated_parameter', printableName(repeated))
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

/** Accepts a form or a JSON object whose values are all strings. */
function readBody(body: unknown): Parameters | undefined {
  if (body === undefined || body === null) return parametersOf()
  if (typeof body !== 'object' || Array.isArray(body)) return undefined
  const form: Form = Object.create(null)
  for (const [name, value] of Object.entries(body)) {
    if (!isText(value) && !(Array.isArray(value) && value.every(isText))) return undefined
    form[name] = value
  }
  return parametersOf(form)
}

/** JSON that was read as a form is one long name. `curl -d` sends JSON like this. */
function isJsonSentAsForm({ values }: Parameters): boolean {
  for (const name in values) return /^\s*\{/.test(name)
  return false
}

/** Without NUL, which PostgreSQL's text type cannot store. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0')
}
