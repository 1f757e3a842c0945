import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Environment } from '../config.ts'
import type { Context } from '../context.ts'
import { sendOauthError } from '../http/oauth-edge.ts'
import {
  type Form,
  type Parameters,
  parametersOf,
  parseForm,
  printableName,
  rawQuery,
} from '../http/parameters.ts'
import { type ClientCredentials, readClientCredentials } from '../partners/client-credentials.ts'
import { isClientId } from '../partners/client-id.ts'
import { accessTokenSeconds } from './lifetimes.ts'
import { type IssuedTokens, invalidRequest, type TokenRefusal } from './outcome.ts'
import { redeem } from './redeem.ts'
import { revoke } from './revoke.ts'
import { rotate } from './rotate.ts'

type Client = ClientCredentials & { kind: 'presented' }

const secretParameters = ['client_secret', 'code', 'refresh_token', 'token', 'code_verifier']

export function tokenRoutes(app: FastifyInstance, context: Context): void {
  app.post('/token', async (request, reply) => {
    const outcome = await withClient(request, context, 'token', (client, body) =>
      issue(context, client, body),
    )
    if (outcome.kind === 'refused') return refuse(request, reply, outcome)
    return reply.send({
      access_token: outcome.accessToken,
      token_type: 'Bearer',
      expires_in: accessTokenSeconds,
      refresh_token: outcome.refreshToken,
      scope: 'openid',
      id_token: outcome.idToken,
    })
  })

  app.post('/revoke', async (request, reply) => {
    const outcome = await withClient(request, context, 'revoke', async (client, body) => {
      if (!body.token) return invalidRequest('no_token', 'token is missing')
      return revoke(context, { ...client, token: body.token })
    })
    if (outcome.kind === 'refused') return refuse(request, reply, outcome)
    // RFC 7009 section 2.2: clients ignore the body. Some parse it all the same, and an empty one is not JSON.
    return reply.send({})
  })
}

/** What both endpoints share: read the request, act on it, and log for whom. */
async function withClient<Done extends { kind: string }>(
  request: FastifyRequest,
  { config }: Context,
  event: 'token' | 'revoke',
  act: (client: Client, body: Record<string, string>) => Promise<Done | TokenRefusal>,
): Promise<Done | TokenRefusal> {
  const asked = readRequest(request, config.environment)
  const outcome = asked.kind === 'refused' ? asked : await act(asked.client, asked.body)
  request.log.info({
    event,
    outcome: outcome.kind === 'refused' && 'reason' in outcome ? outcome.reason : outcome.kind,
    // Whatever else was sent as a client_id may be a secret in the wrong place.
    ...(asked.kind === 'read' && isClientId(asked.client.clientId) && { client_id: asked.client.clientId }),
  })
  return outcome
}

type ReadRequest = { kind: 'read'; client: Client; body: Record<string, string> }

/** The checks in order: nothing secret in the address, the parameters, then who asks. */
function readRequest(request: FastifyRequest, environment: Environment): ReadRequest | TokenRefusal {
  const query = parametersOf(parseForm(rawQuery(request.url)))
  const exposed = secretParameters.find((name) => name in query.values)
  if (exposed) {
    const explanation = `${exposed} was sent in the query string, where logs keep it; send it in the body`
    return invalidRequest('secret_in_query', explanation)
  }
  const body = readBody(request.body)
  if (!body) return invalidRequest('unreadable_body', 'every parameter must be a string, and without NUL')
  const [twice] = body.repeated
  if (twice !== undefined)
    return invalidRequest('repeated_parameter', `${printableName(twice)} was sent more than once`)
  const client = readClientCredentials(request.headers.authorization, body.values, environment)
  if (client.kind === 'refused') return { ...client, reason: 'unusable_credentials' }
  return { kind: 'read', client, body: body.values }
}

async function issue(
  context: Context,
  { clientId, secretHash }: Client,
  body: Record<string, string>,
): Promise<IssuedTokens | TokenRefusal> {
  const selector = body.token_type
  if (selector && selector !== 'id') return invalidRequest('token_type', 'token_type may only be id')
  const { code, refresh_token: refreshToken } = body
  switch (body.grant_type || undefined) {
    case 'authorization_code':
      if (!code) return invalidRequest('no_code', 'code is missing')
      return redeem(context, {
        clientId,
        secretHash,
        code,
        redirectUri: body.redirect_uri || undefined,
        codeVerifier: body.code_verifier || undefined,
      })
    case 'refresh_token':
      if (!refreshToken) return invalidRequest('no_refresh_token', 'refresh_token is missing')
      return rotate(context, { clientId, secretHash, refreshToken })
    case undefined:
      return invalidRequest(
        'no_grant_type',
        'grant_type is missing; send authorization_code or refresh_token',
      )
    default: {
      const explanation = 'grant_type may be authorization_code or refresh_token'
      return { kind: 'refused', error: 'unsupported_grant_type', reason: 'grant_type', explanation }
    }
  }
}

function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  { error, explanation }: TokenRefusal,
): FastifyReply {
  return sendOauthError(request, reply, error === 'invalid_client' ? 401 : 400, error, explanation)
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
