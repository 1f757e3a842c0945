import type { FastifyInstance, FastifyReply } from 'fastify'
import { originValue } from '../audit/origin.ts'
import type { Context } from '../context.ts'
import { RecoveryCodes } from '../factors/parts.tsx'
import { rememberOperator } from '../operators/login.ts'
import { endSessionsOfOperator, sessionsOfOperator } from '../operators/sessions.sql.ts'
import { endSession, type Operator, startOperatorSession } from '../operators/sessions.ts'
import { changeFactor, changePassword, newOperatorTotp, operatorPasswordOwner } from '../operators/setup.ts'
import { passwordFaultText } from '../sessions/new-password-field.tsx'
import Type, { type Static } from '../typebox.ts'
import { AccountPage, FactorForm, PasswordForm } from './account-pages.tsx'
import type { ConsoleWeb } from './edge.ts'
import { toPage } from './login.routes.tsx'
import { wrongCode } from './login-pages.tsx'
import { operatorPage } from './operator-page.ts'

const EndForm = Type.Object({ session: Type.Optional(Type.String({ pattern: '^[0-9]{1,18}$' })) })
const PasswordBody = Type.Object({ new_password: Type.String() })
const FactorBody = Type.Object({ sealed: Type.String(), code: Type.String({ maxLength: 64 }) })
const Notice = Type.Object({ done: Type.Optional(Type.Literal('password')) })

const account = '/admin/account'

/** The operator's own account: sessions, password, second factor. */
export function accountRoutes(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { database } = context

  operatorPage<{ Querystring: Static<typeof Notice> }>(
    app,
    context,
    web,
    { url: account, scope: 'any', schema: { querystring: Notice } },
    async ({ request, operator, csrf, show }) => {
      const sessions = await database.run(sessionsOfOperator, [operator.id, operator.sessionHash])
      const isChanged = request.query.done === 'password'
      const body = <AccountPage operator={operator} sessions={sessions} isChanged={isChanged} csrf={csrf} />
      return show({ title: 'Your account', body })
    },
  )

  operatorPage(
    app,
    context,
    web,
    { method: 'POST', url: '/admin/logout', scope: 'any' },
    async ({ reply, operator, origin }) => {
      await endSession(context, reply, operator, origin)
      return toPage(reply, '/admin/login')
    },
  )

  operatorPage<{ Body: Static<typeof EndForm> }>(
    app,
    context,
    web,
    { method: 'POST', url: '/admin/account/sessions/end', scope: 'any', schema: { body: EndForm } },
    async ({ request, reply, operator, origin }) => {
      const values = [operator.id, request.body.session ?? null, operator.sessionHash, originValue(origin)]
      await database.run(endSessionsOfOperator, values)
      return toPage(reply, account)
    },
  )

  passwordRoutes(app, context, web)
  factorRoutes(app, context, web)
}

function passwordRoutes(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const url = '/admin/account/password'
  const form = (operator: Operator, csrf: string, fault?: string) => ({
    title: 'Change password',
    body: (
      <PasswordForm
        owner={operatorPasswordOwner(context, operator)}
        texts={web.english}
        csrf={csrf}
        fault={fault}
      />
    ),
  })

  operatorPage(app, context, web, { url, scope: 'any', recent: true }, async ({ operator, csrf, show }) =>
    show(form(operator, csrf)),
  )

  operatorPage<{ Body: Static<typeof PasswordBody> }>(
    app,
    context,
    web,
    { method: 'POST', url, scope: 'any', recent: true, schema: { body: PasswordBody } },
    async ({ request, reply, operator, origin, csrf, show }) => {
      const outcome = await changePassword(context, origin, operator, request.body.new_password)
      if (outcome.kind === 'unfit') {
        return show(form(operator, csrf, passwordFaultText(outcome.fault, web.english)), 400)
      }
      if (outcome.kind === 'dead') return toPage(reply, '/admin/login')
      await startOperatorSession(context, request, reply, outcome.login)
      rememberOperator(context, request, reply, { ...outcome.login, email: operator.email })
      return toPage(reply, `${account}?done=password`)
    },
  )
}

function factorRoutes(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const url = '/admin/account/second-factor'
  const form = (operator: Operator, csrf: string, again?: string) => {
    const totp = newOperatorTotp(context, operator, again)
    const fault = again === undefined ? undefined : wrongCode
    return {
      title: 'Replace your authenticator app',
      body: <FactorForm totp={totp} texts={web.english} csrf={csrf} fault={fault} />,
    }
  }

  operatorPage(app, context, web, { url, scope: 'any', recent: true }, async ({ operator, csrf, show }) =>
    show(form(operator, csrf)),
  )

  operatorPage<{ Body: Static<typeof FactorBody> }>(
    app,
    context,
    web,
    { method: 'POST', url, scope: 'any', recent: true, schema: { body: FactorBody } },
    async ({ request, reply, operator, origin, csrf, show }): Promise<FastifyReply> => {
      const outcome = await changeFactor(context, origin, operator, request.body)
      if (outcome.kind === 'wrong_code') return show(form(operator, csrf, request.body.sealed), 403)
      if (outcome.kind === 'dead') return toPage(reply, '/admin/login')
      await startOperatorSession(context, request, reply, outcome.login)
      rememberOperator(context, request, reply, { ...outcome.login, email: operator.email })
      // Without the navigation: its forms would belong to the session that has ended.
      const texts = web.english
      const body = <RecoveryCodes codes={outcome.codes} next={account} texts={texts} />
      return web.page({ reply, texts, title: texts.secondFactor.codes.heading, body })
    },
  )
}
