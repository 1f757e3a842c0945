import type { FastifyInstance, FastifyRequest } from 'fastify'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import type { Context, Sandbox } from '../context.ts'
import { SigningAlgorithm } from '../keys/signing-keys.ts'
import {
  accessTokenText,
  parseAccessToken,
  parseRefreshToken,
  refreshTokenText,
} from '../secrets/connection-token.ts'
import { sha256 } from '../secrets/token-format.ts'
import { signIdToken } from '../tokens/id-token.ts'
import Type, { Compile } from '../typebox.ts'

// A token carries the time of its connection's clock. Here, where requests come in and answers go out, it is translated to the
// server's time and back. Everything behind this file, and every statement, knows only the server's time (docs/adr/0026).

/** Translates the access tokens of requests, in the header or in a form body (userinfo). */
export function translateBearer(app: FastifyInstance, context: Context, sandbox: Sandbox): void {
  const translate = (request: FastifyRequest, token: string) => toServerTime(context, sandbox, request, token)
  app.addHook('onRequest', async (request) => {
    const { headers } = request.raw
    const [scheme, token] = /^(bearer )(\S+)$/i.exec(headers.authorization ?? '')?.slice(1) ?? []
    if (scheme && token) headers.authorization = scheme + (await translate(request, token))
  })
  app.addHook('preHandler', (request) =>
    replaceParameter(request.body, 'access_token', (token) => translate(request, token)),
  )
}

/** Translates the tokens in requests to the token endpoints, and those in the answer. */
export function translateTokens(app: FastifyInstance, context: Context, sandbox: Sandbox): void {
  app.addHook('preHandler', async (request) => {
    const name = tokenParameter(request)
    if (name)
      await replaceParameter(request.body, name, (token) => toServerTime(context, sandbox, request, token))
  })
  app.addHook('preSerialization', (request, _reply, payload) =>
    toConnectionTime(context, sandbox.secondsAheadOf(request), payload),
  )
}

/**
 * The only parameter whose token the endpoint uses. Another one must not choose the clock: the tokens in the answer would have
 * an expiry that does not fit their connection.
 */
function tokenParameter(request: FastifyRequest): 'refresh_token' | 'token' | undefined {
  if (!isTokenRequest(request)) return 'token'
  return textIn(request.body, 'grant_type') === 'refresh_token' ? 'refresh_token' : undefined
}

/** Whether the request is for the token endpoint. */
export function isTokenRequest({ method, routeOptions }: FastifyRequest): boolean {
  return method === 'POST' && routeOptions.url?.endsWith('/oauth2/token') === true
}

function textIn(body: unknown, name: string): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  const text: unknown = Object.getOwnPropertyDescriptor(body, name)?.value
  return typeof text === 'string' ? text : undefined
}

async function replaceParameter(
  body: unknown,
  name: string,
  replace: (text: string) => Promise<string>,
): Promise<void> {
  const text = textIn(body, name)
  if (text !== undefined) Object.assign(Object(body), { [name]: await replace(text) })
}

/** Text that is not a token of this server stays as it is, so that it is refused with the true reason. */
async function toServerTime(
  context: Context,
  sandbox: Sandbox,
  request: FastifyRequest,
  text: string,
): Promise<string> {
  if (!sandbox.isLoaded) return text
  const presented = parse(context, text)
  if (!presented) return text
  await sandbox.readClock(request, sha256(presented.token.locator))
  return shifted(context, text, -sandbox.secondsAheadOf(request))
}

const IssuedTokens = Compile(
  Type.Object({
    access_token: Type.String(),
    refresh_token: Type.String(),
    id_token: Type.Optional(Type.String()),
  }),
)
const IdTokenClaims = Compile(
  Type.Object({
    sub: Type.String(),
    aud: Type.String(),
    auth_time: Type.Integer(),
    acr: Type.String(),
    amr: Type.Array(Type.String()),
  }),
)
const Algorithm = Compile(SigningAlgorithm)

/** A new `id_token` is signed, because it has a hash of the access token. Its own times are those of the server. */
async function toConnectionTime(context: Context, ahead: number, payload: unknown): Promise<unknown> {
  if (ahead === 0 || !IssuedTokens.Check(payload)) return payload
  const accessToken = shifted(context, payload.access_token, ahead)
  const tokens = { access_token: accessToken, refresh_token: shifted(context, payload.refresh_token, ahead) }
  if (payload.id_token === undefined) return { ...payload, ...tokens }
  const {
    sub: subject,
    aud: clientId,
    auth_time,
    acr,
    amr,
  } = IdTokenClaims.Parse(decodeJwt(payload.id_token))
  const algorithm = Algorithm.Parse(decodeProtectedHeader(payload.id_token).alg)
  const authTime = new Date(auth_time * 1000)
  // Without a nonce: only the answer to a code has one, and the clock of its connection was never moved.
  const facts = { subject, clientId, authTime, acr, amr, nonce: null, algorithm, accessToken }
  return { ...payload, ...tokens, id_token: await signIdToken(context, facts) }
}

/** The same token with its expiry moved by so many seconds. */
function shifted(context: Context, text: string, seconds: number): string {
  const parsed = seconds === 0 ? undefined : parse(context, text)
  if (!parsed) return text
  const { config, keys } = context
  const expiresAt = parsed.token.expiresAt + seconds
  return parsed.kind === 'access'
    ? accessTokenText(config.environment, keys.current, { ...parsed.token, expiresAt })
    : refreshTokenText(config.environment, keys.current, { ...parsed.token, expiresAt })
}

function parse({ config, keys }: Context, text: string) {
  const access = parseAccessToken(text, config.environment, keys)
  if (access.kind === 'ok') return { kind: 'access' as const, token: access.token }
  const refresh = parseRefreshToken(text, config.environment, keys)
  return refresh.kind === 'ok' ? { kind: 'refresh' as const, token: refresh.token } : undefined
}
