import type { FastifyReply } from 'fastify'
import type { RecoveryLink } from '../web/error-page.tsx'
import type { Texts } from '../web/languages/languages.ts'
import type { Web } from '../web/page-edge.tsx'
import type { AuthorizationRequest } from './authorization-request.ts'
import type { Unsealed } from './sealed-request.ts'

type OutdatedRequest = Exclude<Unsealed, { kind: 'open' }>

/** Says that the sealed request cannot be used, and links to the same request if it has only expired. */
export function sendOutdated(content: {
  web: Web
  reply: FastifyReply
  texts: Texts
  opened: OutdatedRequest
}): FastifyReply {
  const { web, reply, texts, opened } = content
  const { heading, text } = texts.connect[opened.kind]
  const recoveryLink = opened.kind === 'expired' ? startAgainLink(opened.request, texts) : undefined
  return web.errorPage({ reply, texts, status: 400, heading, text: <p>{text}</p>, recoveryLink })
}

/** No link for a request with an `id_token_hint`: the hint is not stored, and without it any user could answer. */
export function startAgainLink(authorization: AuthorizationRequest, texts: Texts): RecoveryLink | undefined {
  if (authorization.subject !== undefined) return undefined
  return { label: texts.connect.startAgain, href: sameRequest(authorization) }
}

/** The address that sends the same authorization request again. */
function sameRequest(authorization: AuthorizationRequest): string {
  const { clientId, redirectUri, state, nonce, codeChallenge, prompt, maxAge } = authorization
  const { loginHint, uiLocales, acrValues } = authorization
  const parameters = new URLSearchParams({
    response_type: 'code',
    scope: 'openid',
    client_id: clientId,
    redirect_uri: redirectUri,
    ...(state && { state }),
    ...(nonce && { nonce }),
    ...(codeChallenge && { code_challenge: codeChallenge, code_challenge_method: 'S256' }),
    ...(prompt.length > 0 && { prompt: prompt.join(' ') }),
    ...(maxAge !== undefined && { max_age: String(maxAge) }),
    ...(loginHint && { login_hint: loginHint }),
    ...(uiLocales && { ui_locales: uiLocales }),
    ...(acrValues && { acr_values: acrValues.join(' ') }),
  })
  return `/api/oauth2/authorize?${parameters}`
}
