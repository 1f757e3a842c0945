import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { PasskeyForm } from '../factors/parts.tsx'
import { logInWithPasskey, loginPurpose, type PasskeyLoginOutcome } from '../factors/passkey-login.ts'
import { loginOptions } from '../factors/passkeys.ts'
import { rememberProof } from '../factors/proved-browser.ts'
import Type, { type Static } from '../typebox.ts'
import type { Texts } from '../web/languages/languages.ts'
import type { Web } from '../web/page-edge.tsx'
import { FormFault, HiddenFields } from '../web/parts.tsx'
import { finishLogin } from './finish-login.ts'
import { openPageRequest } from './page-request.ts'
import { Destination, withDestination } from './sealed-request.ts'

const PasskeyLoginForm = Type.Object({ credential: Type.String(), ...Destination.properties })

/** Signing in with a passkey alone. The login page has the button. */
export function passkeyLoginRoutes(app: FastifyInstance, context: Context, web: Web): void {
  app.post<{ Body: Static<typeof PasskeyLoginForm> }>(
    '/login/passkey',
    { schema: { body: PasskeyLoginForm }, preValidation: web.ownForm },
    async (request, reply) => {
      const { credential, ...destination } = request.body
      const outcome = await logInWithPasskey(context, { json: credential, address: request.ip })
      request.log.info({
        event: 'login',
        method: 'passkey',
        outcome: outcome.kind,
        ...(outcome.kind === 'welcome' && { user_id: outcome.login.userId }),
        ...(outcome.kind === 'refused' && { reason: outcome.reason }),
      })
      if (outcome.kind === 'welcome') {
        rememberProof(reply, context, outcome.login)
        return finishLogin(context, request, reply, { login: outcome.login, destination })
      }
      return sendRefusal({ context, web, request, reply, destination, outcome })
    },
  )
}

async function sendRefusal(content: {
  context: Context
  web: Web
  request: FastifyRequest
  reply: FastifyReply
  destination: Destination
  outcome: Exclude<PasskeyLoginOutcome, { kind: 'welcome' }>
}): Promise<FastifyReply> {
  const { context, web, request, reply, destination, outcome } = content
  const { texts } = openPageRequest(context, request)
  const { passkey } = texts.secondFactor
  if (outcome.kind === 'throttled') reply.header('retry-after', String(outcome.retryAfterSeconds))
  const fault =
    outcome.kind === 'throttled'
      ? texts.login.throttled(Math.ceil(outcome.retryAfterSeconds / 60))
      : passkey.refused
  const body = (
    <>
      <h1>{texts.login.heading}</h1>
      <FormFault id="fault">{fault}</FormFault>
      {await passkeyLogin({ context, csrf: web.csrfToken(reply), destination, texts })}
      <p>
        <a href={withDestination('/login', destination)}>{passkey.usePassword}</a>
      </p>
    </>
  )
  const status = outcome.kind === 'throttled' ? 429 : 403
  return web.page({ reply, texts, status, title: texts.login.heading, body, passkeys: true })
}

/** The button for the login page, with a new challenge. Its page needs `passkeys: true`. */
export async function passkeyLogin(props: {
  context: Context
  csrf: string
  destination: Destination
  texts: Texts
}) {
  const { context, csrf, destination, texts } = props
  return (
    <PasskeyForm
      action="/login/passkey"
      passkey={{ kind: 'get', options: await loginOptions(context, loginPurpose) }}
      secondary
      texts={texts}
      label={texts.secondFactor.passkey.button}
    >
      <HiddenFields csrf={csrf} {...destination} />
    </PasskeyForm>
  )
}
