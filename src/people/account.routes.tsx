import type { FastifyInstance, FastifyReply } from 'fastify'
import { originValue } from '../audit/origin.ts'
import type { Context } from '../context.ts'
import { RecoveryCodes } from '../factors/parts.tsx'
import { passwordFaultText } from '../sessions/new-password-field.tsx'
import Type, { type Static } from '../typebox.ts'
import { AccountPage, FactorForm, PasswordForm } from './account-pages.tsx'
import { rememberPerson } from './login.ts'
import { wrongCode } from './login-pages.tsx'
import type { PeopleWeb } from './people-web.ts'
import { personPage, toPage } from './person-page.ts'
import { sessionStatements } from './sessions.sql.ts'
import { endSession, type Person, startSession } from './sessions.ts'
import { changeFactor, changePassword, newPersonTotp, personPasswordOwner } from './setup.ts'

const EndForm = Type.Object({ session: Type.Optional(Type.String({ pattern: '^[0-9]{1,18}$' })) })
const PasswordBody = Type.Object({ new_password: Type.String() })
const FactorBody = Type.Object({ sealed: Type.String(), code: Type.String({ maxLength: 64 }) })
const Notice = Type.Object({ done: Type.Optional(Type.Literal('password')) })

/** The person's own account: sessions, password, second factor. */
export function accountRoutes<P extends Person>(
  app: FastifyInstance,
  context: Context,
  web: PeopleWeb<P>,
): void {
  overviewRoute(app, context, web)
  sessionRoutes(app, context, web)
  passwordRoutes(app, context, web)
  factorRoutes(app, context, web)
}

function overviewRoute<P extends Person>(app: FastifyInstance, context: Context, web: PeopleWeb<P>): void {
  const { kind, home } = web
  personPage<P, { Querystring: Static<typeof Notice> }>(
    app,
    context,
    web,
    { url: `${home}/account`, schema: { querystring: Notice } },
    async ({ request, reply, person, csrf }) => {
      const values = [person.id, person.sessionHash]
      const sessions = await context.database.run(sessionStatements[kind].list, values)
      const isChanged = request.query.done === 'password'
      const body = (
        <AccountPage
          person={person}
          role={web.roleOf(person)}
          home={home}
          sessions={sessions}
          isChanged={isChanged}
          csrf={csrf}
        />
      )
      return web.shell(reply, person, { title: 'Your account', body })
    },
  )
}

function sessionRoutes<P extends Person>(app: FastifyInstance, context: Context, web: PeopleWeb<P>): void {
  const { kind, home } = web

  personPage<P>(
    app,
    context,
    web,
    { method: 'POST', url: `${home}/logout` },
    async ({ reply, person, origin }) => {
      await endSession(context, kind, reply, person, origin)
      return toPage(reply, `${home}/login`)
    },
  )

  personPage<P, { Body: Static<typeof EndForm> }>(
    app,
    context,
    web,
    { method: 'POST', url: `${home}/account/sessions/end`, schema: { body: EndForm } },
    async ({ request, reply, person, origin }) => {
      const values = [person.id, request.body.session ?? null, person.sessionHash, originValue(origin)]
      await context.database.run(sessionStatements[kind].endOthers, values)
      return toPage(reply, `${home}/account`)
    },
  )
}

function passwordRoutes<P extends Person>(app: FastifyInstance, context: Context, web: PeopleWeb<P>): void {
  const { kind, home } = web
  const url = `${home}/account/password`
  const form = (person: P, csrf: string, fault?: string) => ({
    title: 'Change password',
    body: (
      <PasswordForm
        home={home}
        owner={personPasswordOwner(context, person)}
        texts={web.english}
        csrf={csrf}
        fault={fault}
      />
    ),
  })

  personPage<P>(app, context, web, { url, recent: true }, async ({ reply, person, csrf }) =>
    web.shell(reply, person, form(person, csrf)),
  )

  personPage<P, { Body: Static<typeof PasswordBody> }>(
    app,
    context,
    web,
    { method: 'POST', url, recent: true, schema: { body: PasswordBody } },
    async ({ request, reply, person, origin, csrf }) => {
      const outcome = await changePassword(context, kind, origin, person, request.body.new_password)
      if (outcome.kind === 'unfit') {
        return web.shell(
          reply,
          person,
          form(person, csrf, passwordFaultText(outcome.fault, web.english)),
          400,
        )
      }
      if (outcome.kind === 'conflict') return toPage(reply, `${home}/login`)
      await startSession(context, kind, { request, reply }, outcome.login)
      rememberPerson(context, kind, { request, reply }, { ...outcome.login, email: person.email })
      return toPage(reply, `${home}/account?done=password`)
    },
  )
}

function factorRoutes<P extends Person>(app: FastifyInstance, context: Context, web: PeopleWeb<P>): void {
  const { kind, home } = web
  const url = `${home}/account/second-factor`
  const form = (person: P, csrf: string, again?: string) => {
    const totp = newPersonTotp(context, kind, person, again)
    const fault = again === undefined ? undefined : wrongCode
    return {
      title: 'Replace your authenticator app',
      body: <FactorForm home={home} totp={totp} texts={web.english} csrf={csrf} fault={fault} />,
    }
  }

  personPage<P>(app, context, web, { url, recent: true }, async ({ reply, person, csrf }) =>
    web.shell(reply, person, form(person, csrf)),
  )

  personPage<P, { Body: Static<typeof FactorBody> }>(
    app,
    context,
    web,
    { method: 'POST', url, recent: true, schema: { body: FactorBody } },
    async ({ request, reply, person, origin, csrf }): Promise<FastifyReply> => {
      const outcome = await changeFactor(context, kind, origin, person, request.body)
      if (outcome.kind === 'wrong_code')
        return web.shell(reply, person, form(person, csrf, request.body.sealed), 403)
      if (outcome.kind === 'conflict') return toPage(reply, `${home}/login`)
      await startSession(context, kind, { request, reply }, outcome.login)
      rememberPerson(context, kind, { request, reply }, { ...outcome.login, email: person.email })
      // Without the navigation: its forms would belong to the session that has ended.
      const texts = web.english
      const body = <RecoveryCodes codes={outcome.codes} next={`${home}/account`} texts={texts} />
      return web.page({ reply, texts, title: texts.secondFactor.codes.heading, body })
    },
  )
}
