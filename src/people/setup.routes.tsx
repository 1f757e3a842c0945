import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import { RecoveryCodes } from '../factors/parts.tsx'
import { passwordFaultText } from '../sessions/new-password-field.tsx'
import Type, { type Static } from '../typebox.ts'
import { cookieName, cookieOptions } from '../web/cookies.ts'
import { setupPath } from './accounts.ts'
import type { PeopleKind } from './kind.ts'
import { rememberPerson } from './login.ts'
import { wrongCode } from './login-pages.tsx'
import type { PeopleWeb } from './people-web.ts'
import { toPage } from './person-page.ts'
import { personOrigin, startSession } from './sessions.ts'
import {
  newPersonTotp,
  ownerOfSetupLink,
  personPasswordOwner,
  type SetupOwner,
  setUpAccount,
} from './setup.ts'
import { DeadLink, SetupPage } from './setup-pages.tsx'

const LinkQuery = Type.Object({ token: Type.Optional(Type.String()) })
const SetupForm = Type.Object({
  owner: Type.String({ maxLength: 64 }),
  new_password: Type.String(),
  sealed: Type.String(),
  code: Type.String({ maxLength: 64 }),
})

type Exchange = { context: Context; web: PeopleWeb; request: FastifyRequest; reply: FastifyReply }

/** The pages behind the link with which a person sets up the account: password, authenticator app, recovery codes. */
export function setupRoutes(app: FastifyInstance, context: Context, web: PeopleWeb): void {
  const { config } = context
  const { kind } = web
  const path = `/${setupPath}`

  // Moves the secret from the address into a cookie, so that it is not in the browser's history or on a screenshot. It changes
  // nothing else: programs that check the links of a mail open them before the person does.
  app.get<{ Querystring: Static<typeof LinkQuery> }>(
    path,
    { schema: { querystring: LinkQuery } },
    async (request, reply) => {
      const { token } = request.query
      if (token !== undefined) {
        if (/^[\w-]{43}$/.test(token)) reply.setCookie(nameFor(kind, config), token, cookieOptions(config))
        return toPage(reply, `${web.home}/${setupPath}`)
      }
      const owner = await ownerOfSetupLink(context, kind, secretOf(request, kind, config))
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
  const { kind } = web
  const secret = secretOf(request, kind, context.config)
  const owner = await ownerOfSetupLink(context, kind, secret)
  if (!owner) return sendDeadLink(exchange)
  // Another link may have replaced the cookie since the page was shown. The password is for the account of the page.
  if (owner.id !== fields.owner) return sendSetupPage(exchange, owner)
  const { new_password: password, sealed, code } = fields
  const origin = personOrigin(request, kind, owner)
  const outcome = await setUpAccount(context, kind, origin, { secret, owner, password, sealed, code })
  request.log.info({ event: `${kind}_setup`, outcome: outcome.kind, [`${kind}_id`]: owner.id })
  switch (outcome.kind) {
    case 'set': {
      reply.clearCookie(nameFor(kind, context.config), cookieOptions(context.config))
      await startSession(context, kind, { request, reply }, outcome.login)
      rememberPerson(context, kind, { request, reply }, { ...outcome.login, email: owner.email })
      const texts = web.english
      const body = <RecoveryCodes codes={outcome.codes} next={web.home} texts={texts} />
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
      web={web}
      csrf={web.csrfToken(reply)}
      texts={web.english}
      ownerId={owner.id}
      owner={personPasswordOwner(context, owner)}
      totp={newPersonTotp(context, web.kind, owner, fault?.sealed)}
      passwordFault={fault?.passwordFault}
      codeFault={fault?.codeFault}
    />
  )
  const status = fault ? 400 : 200
  return web.page({ reply, texts: web.english, status, title: 'Set up your account', body })
}

function sendDeadLink({ web, reply }: Exchange): FastifyReply {
  const title = 'This link no longer works'
  return web.page({
    reply,
    texts: web.english,
    status: 410,
    title,
    body: <DeadLink web={web} heading={title} />,
  })
}

function nameFor(kind: PeopleKind, config: Config): string {
  return cookieName(config, `latchkey-${kind}-setup`)
}

function secretOf(request: FastifyRequest, kind: PeopleKind, config: Config): string {
  return request.cookies[nameFor(kind, config)] ?? ''
}
