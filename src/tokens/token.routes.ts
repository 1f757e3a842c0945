import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Origin, originOf } from '../audit/origin.ts'
import type { Context } from '../context.ts'
import { oauthErrors } from '../errors/oauth.ts'
import { sendOauthError } from '../http/oauth-edge.ts'
import { type TokenRefusal, tokenRefusal } from '../http/refusals.ts'
import type { ClientCredential } from '../partners/client-authentication.ts'
import { clientRequests } from './client-request.ts'
import { introspect } from './introspect.ts'
import { accessTokenSeconds } from './lifetimes.ts'
import type { IssuedTokens } from './outcome.ts'
import { redeem } from './redeem.ts'
import { revoke } from './revoke.ts'
import { rotate } from './rotate.ts'
import { introspectToken, requestToken, revokeToken } from './token.operations.ts'
import { sendLimited } from './token-limits.ts'

export function tokenRoutes(app: FastifyInstance, context: Context): void {
  const withClient = clientRequests(context)

  app.post('/token', { config: { operation: requestToken } }, async (request, reply) => {
    const outcome = await withClient(request, reply, 'token', (client, body) =>
      issue(context, partnerOrigin(request, client), client, body),
    )
    if (outcome.kind === 'limited') return sendLimited(request, reply, outcome)
    if (outcome.kind === 'refused') return sendTokenRefusal(request, reply, outcome)
    return reply.send({
      access_token: outcome.accessToken,
      token_type: 'Bearer',
      expires_in: accessTokenSeconds,
      refresh_token: outcome.refreshToken,
      scope: 'openid',
      ...(outcome.idToken !== undefined && { id_token: outcome.idToken }),
    })
  })

  app.post('/revoke', { config: { operation: revokeToken } }, async (request, reply) => {
    const outcome = await withClient(request, reply, 'revoke', async (client, { token }) =>
      token ? revoke(context, partnerOrigin(request, client), { client, token }) : noToken,
    )
    if (outcome.kind === 'limited') return sendLimited(request, reply, outcome)
    if (outcome.kind === 'refused') return sendTokenRefusal(request, reply, outcome)
    // Clients ignore the body (RFC 7009 section 2.2). Some still parse it as JSON, and an empty body is not JSON.
    return reply.send({})
  })

  app.post('/introspect', { config: { operation: introspectToken } }, async (request, reply) => {
    const outcome = await withClient(request, reply, 'introspect', async (client, { token }) =>
      token ? introspect(context, { client, token }) : noToken,
    )
    if (outcome.kind === 'limited') return sendLimited(request, reply, outcome)
    if (outcome.kind === 'refused') return sendTokenRefusal(request, reply, outcome)
    if (outcome.kind === 'inactive') return reply.send({ active: false })
    return reply.send({
      active: true,
      scope: 'openid',
      client_id: outcome.clientId,
      sub: outcome.subject,
      ...(outcome.token === 'access' && { token_type: 'Bearer' }),
      exp: seconds(outcome.expiresAt),
      iat: seconds(outcome.issuedAt),
      iss: context.config.authUrl,
      acr: outcome.acr,
      auth_time: seconds(outcome.authTime),
    })
  })
}

function partnerOrigin(request: FastifyRequest, { clientId }: ClientCredential): Origin {
  return originOf(request, 'api', { kind: 'partner', id: clientId })
}

const noToken = tokenRefusal('no_token')

async function issue(
  context: Context,
  origin: Origin,
  client: ClientCredential,
  body: Record<string, string>,
): Promise<IssuedTokens | TokenRefusal> {
  const selector = body.token_type
  if (selector && selector !== 'id') return tokenRefusal('token_type')
  const { code, refresh_token: refreshToken } = body
  switch (body.grant_type || undefined) {
    case 'authorization_code':
      if (!code) return tokenRefusal('no_code')
      return redeem(context, origin, {
        client,
        code,
        redirectUri: body.redirect_uri || undefined,
        codeVerifier: body.code_verifier || undefined,
      })
    case 'refresh_token':
      if (!refreshToken) return tokenRefusal('no_refresh_token')
      return rotate(context, origin, { client, refreshToken, wantsIdToken: selector === 'id' })
    case undefined:
      return tokenRefusal('no_grant_type')
    default:
      return tokenRefusal('grant_type')
  }
}

export function sendTokenRefusal(
  request: FastifyRequest,
  reply: FastifyReply,
  { error, explanation, anchor }: TokenRefusal,
): FastifyReply {
  return sendOauthError(request, reply, oauthErrors[error].status, error, explanation, anchor)
}

function seconds(instant: Date): number {
  return Math.floor(instant.getTime() / 1000)
}
