import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { type CallNotes, noteCall } from '../http/call-notes.ts'
import { logOnce } from '../http/log.ts'
import { type Form, parametersOf, parseForm, rawQuery } from '../http/parameters.ts'
import { findPartner } from '../partners/partners.sql.ts'
import type { RedirectUriDifference } from '../partners/redirect-uri.ts'
import { randomId } from '../secrets/token-format.ts'
import { readIdTokenHint } from '../tokens/id-token.ts'
import type { Texts } from '../web/languages/languages.ts'
import type { Web } from '../web/page-edge.tsx'
import { ReceivedText, TechnicalLine } from '../web/parts.tsx'
import { check, identify, type UntrustedRequestReason } from './authorization-request.ts'
import { faultUrl } from './connect.ts'
import { openPageRequest } from './page-request.ts'
import { seal } from './sealed-request.ts'

/** The contract defines the `POST`, the standard the `GET`. Both read the query; the `POST` reads its body too. */
export function authorizeRoutes(app: FastifyInstance, context: Context, web: Web): void {
  const { config, database, keys, now } = context

  const authorize = async (
    request: FastifyRequest,
    reply: FastifyReply,
    method: 'GET' | 'POST',
    body: Form,
  ) => {
    const parameters = parametersOf(parseForm(rawQuery(request.url)), body)
    const identified = await identify(parameters, config.environment, (clientId) =>
      database.maybe(findPartner, [clientId]),
    )
    if (identified.kind === 'refused') {
      const { reason, clientId } = identified
      return sendUntrusted({ context, web, request, reply }, reason, clientId)
    }
    const fresh = { id: randomId(43), now: now() }
    const checked = await check(parameters, method, identified, fresh, (idToken) =>
      readIdTokenHint(context, idToken),
    )
    if (checked.kind === 'refused') {
      const { reason, code, anchor, explanation: detail } = checked.fault
      noteRefusal(request, identified.partner.client_id, { outcome: reason, code, anchor, detail })
      return reply.redirect(faultUrl(checked.to, config, checked.fault), 303)
    }
    // Browsers do not send SameSite=Lax cookies with a cross-site POST, but send them with the GET that follows. The
    // session is therefore read in `/connect`.
    const sealed = seal(checked.request, keys.current.seal, now())
    return reply.redirect(`/connect?${new URLSearchParams({ request: sealed })}`, 303)
  }

  app.get('/api/oauth2/authorize', (request, reply) => authorize(request, reply, 'GET', {}))
  app.post<{ Body: Form | null }>('/api/oauth2/authorize', (request, reply) =>
    authorize(request, reply, 'POST', request.body ?? {}),
  )
}

/**
 * Without a redirect: the client or its redirect URI is not known, so the address could be an attacker's (RFC 9700 section
 * 4.11).
 */
function sendUntrusted(
  {
    context,
    web,
    request,
    reply,
  }: { context: Context; web: Web; request: FastifyRequest; reply: FastifyReply },
  reason: UntrustedRequestReason,
  clientId: string | undefined,
): FastifyReply {
  const { texts } = openPageRequest(context, request)
  const { heading, text: explanation } = texts.authorize
  const difference = 'difference' in reason ? reason.difference : undefined
  if (clientId !== undefined) noteRefusal(request, clientId, { outcome: reason.kind })
  logOnce(request, { event: 'authorize', outcome: reason.kind, ...(difference && { difference }) })
  const text = (
    <>
      <p>{explanation}</p>
      <p>{reasonText(reason, texts)}</p>
      {reason.kind === 'unregistered-redirect-uri' && (
        <p>
          {texts.authorize.receivedRedirectUri} <ReceivedText>{reason.received}</ReceivedText>
        </p>
      )}
      {difference && context.config.environment === 'sandbox' && (
        <TechnicalLine>{differenceHints[difference]}</TechnicalLine>
      )}
    </>
  )
  return web.errorPage({ reply, texts, status: 400, heading, text })
}

/** For the request log of the partner. Anyone can send its client_id to this endpoint. */
function noteRefusal(request: FastifyRequest, clientId: string, notes: CallNotes): void {
  noteCall(request, { code: 'authorization_refused', ...notes, clientId, isAuthenticated: false })
}

/** Only in the sandbox. In production, a stranger could find out the registered addresses from them. */
const differenceHints: Record<RedirectUriDifference, string> = {
  trailing_slash: 'It differs from a registered redirect_uri only in the slash at the end.',
  scheme: 'It differs from a registered redirect_uri only in http or https.',
  case: 'It differs from a registered redirect_uri only in capital letters.',
  query: 'It differs from a registered redirect_uri only in the part from ? or # on.',
}

function reasonText(reason: UntrustedRequestReason, { authorize: { reasons } }: Texts): string {
  switch (reason.kind) {
    case 'repeated':
    case 'missing':
      return reasons[reason.kind](reason.parameter)
    case 'foreign-environment':
      return reasons.wrongEnvironment(reason.theirs, reason.ours)
    case 'unknown-client':
      return reasons.unknownClient
    case 'suspended':
      return reasons.suspended
    case 'unregistered-redirect-uri':
      return reasons.unregisteredRedirectUri
  }
}
