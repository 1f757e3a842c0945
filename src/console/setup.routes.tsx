import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { originOf } from '../audit/origin.ts'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import { RecoveryCodes } from '../factors/parts.tsx'
import { rememberOperator } from '../operators/login.ts'
import { setupPath } from '../operators/operators.ts'
import { startOperatorSession } from '../operators/sessions.ts'
import {
  newOperatorTotp,
  operatorPasswordOwner,
  ownerOfSetupLink,
  type SetupOwner,
  setUpAccount,
} from '../operators/setup.ts'
import { passwordFaultText } from '../sessions/new-password-field.tsx'
import Type, { type Static } from '../typebox.ts'
import { cookieName, cookieOptions } from '../web/cookies.ts'
import type { ConsoleWeb } from './edge.ts'
import { toPage } from './login.routes.tsx'
import { wrongCode } from './login-pages.tsx'
import { DeadLink, SetupPage } from './setup-pages.tsx'

const LinkQuery = Type.Object({ token: Type.Optional(Type.String()) })
const SetupForm = Type.Object({
  owner: Type.String({ maxLength: 64 }),
  new_password: Type.String(),
  sealed: Type.String(),
  code: Type.String({ maxLength: 64 }),
})

type Exchange = { context: Context; web: ConsoleWeb; request: FastifyRequest; reply: FastifyReply }

/** The pages behind the link with which an operator sets up the account: password, authenticator app, recovery codes. */
export function setupRoutes(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { config } = context
  const path = setupPath.slice('/admin'.length)

  // Moves the secret from the address into a cookie, so that it is not in the browser's history or on a screenshot. It changes
  // nothing else: programs that check the links of a mail open them before the operator does.
  app.get<{ Querystring: Static<typeof LinkQuery> }>(
    path,
    { schema: { querystring: LinkQuery } },
    async (request, reply) => {
      const { token } = request.query
      if (token !== undefined) {
        if (/^[\w-]{43}$/.test(token)) reply.setCookie(nameFor(config), token, cookieOptions(config))
        return toPage(reply, setupPath)
      }
      const owner = await ownerOfSetupLink(context, secretOf(request, config))
      if (!owner) return sendDeadLink({ context, web, request, reply })
      return sendSetupPage({ context, web, request, reply }, owner)
    },
  )

  app.post<{ Body: Static<typeof SetupForm> }>(
    path,
    { schema: { body: SetupForm }, preValidation: web.ownForm },
    (request, reply) => setUp({ context, web, request, reply }, request.body),
  )
}

async function setUp(exchange: Exchange, fields: Static<typeof SetupForm>): Promise<FastifyReply> {
  const { context, web, request, reply } = exchange
  const secret = secretOf(request, context.config)
  const owner = await ownerOfSetupLink(context, secret)
  if (!owner) return sendDeadLink(exchange)
  // Another link may have replaced the cookie since the page was shown. The password is for the account of the page.
  if (owner.id !== fields.owner) return sendSetupPage(exchange, owner)
  const { new_password: password, sealed, code } = fields
  const origin = originOf(request, 'console', { kind: 'operator', id: owner.id, name: owner.name })
  const outcome = await setUpAccount(context, origin, { secret, owner, password, sealed, code })
  request.log.info({ event: 'operator_setup', outcome: outcome.kind, operator_id: owner.id })
  switch (outcome.kind) {
    case 'set': {
      reply.clearCookie(nameFor(context.config), cookieOptions(context.config))
      await startOperatorSession(context, request, reply, outcome.login)
      rememberOperator(context, request, reply, { ...outcome.login, email: owner.email })
      const texts = web.english
      const body = <RecoveryCodes codes={outcome.codes} next="/admin" texts={texts} />
      return web.page({ reply, texts, title: texts.secondFactor.codes.heading, body })
    }
    case 'unfit':
      return sendSetupPage(exchange, owner, {
        passwordFault: passwordFaultText(outcome.fault, web.english),
        sealed,
      })
    case 'wrong_code':
      return sendSetupPage(exchange, owner, { codeFault: wrongCode, sealed })
    case 'dead':
      return sendDeadLink(exchange)
  }
}

async function sendSetupPage(
  { context, web, reply }: Exchange,
  owner: SetupOwner,
  fault?: { passwordFault?: string; codeFault?: string; sealed: string },
): Promise<FastifyReply> {
  const body = (
    <SetupPage
      csrf={web.csrfToken(reply)}
      texts={web.english}
      operatorId={owner.id}
      owner={operatorPasswordOwner(context, owner)}
      totp={newOperatorTotp(context, owner, fault?.sealed)}
      passwordFault={fault?.passwordFault}
      codeFault={fault?.codeFault}
    />
  )
  const status = fault ? 400 : 200
  return web.page({ reply, texts: web.english, status, title: 'Set up your account', body })
}

function sendDeadLink({ web, reply }: Exchange): FastifyReply {
  const title = 'This link no longer works'
  return web.page({ reply, texts: web.english, status: 410, title, body: <DeadLink heading={title} /> })
}

function nameFor(config: Config): string {
  return cookieName(config, 'latchkey-operator-setup')
}

function secretOf(request: FastifyRequest, config: Config): string {
  return request.cookies[nameFor(config)] ?? ''
}
