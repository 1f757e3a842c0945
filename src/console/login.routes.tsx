import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { refusalStatus } from '../login/refusal.ts'
import {
  beginLogin,
  type Code,
  endPending,
  type PendingOperator,
  pendingOperator,
  proveCode,
  rememberOperator,
} from '../operators/login.ts'
import { operatorProviders } from '../operators/provider-login.sql.ts'
import { operatorOf, startOperatorSession } from '../operators/sessions.ts'
import Type, { type Static } from '../typebox.ts'
import type { ConsoleWeb } from './edge.ts'
import { CodePage, LoginPage, type Pause, wrongCode, wrongCredentials } from './login-pages.tsx'
import { nextPage } from './operator-page.ts'

const Next = Type.Object({ next: Type.Optional(Type.String({ maxLength: 2000 })) })
const LoginForm = Type.Object({
  email: Type.String({ maxLength: 320 }),
  password: Type.String(),
  ...Next.properties,
})
export const CodeForm = Type.Object({
  method: Type.Union([Type.Literal('totp'), Type.Literal('recovery_code')]),
  code: Type.String({ maxLength: 64 }),
})

type Exchange = { context: Context; web: ConsoleWeb; request: FastifyRequest; reply: FastifyReply }

/** Operators log in with a password and a second factor. `provider-login.routes.tsx` has the other way. */
export function loginRoutes(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  app.get<{ Querystring: Static<typeof Next> }>(
    '/login',
    { schema: { querystring: Next } },
    async (request, reply) => {
      const next = nextPage(request.query.next)
      if (await operatorOf(request, context)) return toPage(reply, next)
      return sendLoginPage({ context, web, request, reply }, { next })
    },
  )

  app.post<{ Body: Static<typeof LoginForm> }>(
    '/login',
    { schema: { body: LoginForm }, preValidation: web.ownForm },
    async (request, reply) => {
      const { email, password } = request.body
      const next = nextPage(request.body.next)
      const outcome = await beginLogin(context, request, reply, { email, password, next })
      request.log.info({ event: 'operator_login', outcome: outcome.kind })
      if (outcome.kind === 'second_factor') return toPage(reply, '/admin/login/second-factor')
      const refusal = outcome.kind === 'refused' ? wrongCredentials : outcome
      const status = refusalStatus(reply, outcome)
      return sendLoginPage({ context, web, request, reply }, { next, email, refusal, status })
    },
  )

  app.get('/login/second-factor', async (request, reply) => {
    const pending = await pendingOperator(context, request)
    if (!pending) return toPage(reply, '/admin/login')
    return sendCodePage({ context, web, request, reply }, pending)
  })

  app.post<{ Body: Static<typeof CodeForm> }>(
    '/login/second-factor',
    { schema: { body: CodeForm }, preValidation: web.ownForm },
    async (request, reply) => {
      const pending = await pendingOperator(context, request)
      if (!pending) return toPage(reply, '/admin/login')
      return prove({ context, web, request, reply }, pending, {
        method: request.body.method,
        text: request.body.code,
      })
    },
  )
}

async function prove(exchange: Exchange, pending: PendingOperator, code: Code): Promise<FastifyReply> {
  const { context, request, reply } = exchange
  const outcome = await proveCode(context, request, pending, code)
  switch (outcome.kind) {
    case 'proved': {
      endPending(context, reply)
      if (!(await startOperatorSession(context, request, reply, pending)))
        return toPage(reply, '/admin/login')
      rememberOperator(context, request, reply, pending)
      return toPage(reply, nextPage(pending.next))
    }
    case 'throttled':
      reply.header('retry-after', String(outcome.retryAfterSeconds))
      return sendCodePage(exchange, pending, { refusal: outcome, status: 429 })
    case 'refused':
      return sendCodePage(exchange, pending, { refusal: wrongCode, status: 403 })
  }
}

/** A redirect within the console, which nothing may keep. */
export function toPage(reply: FastifyReply, page: string): FastifyReply {
  return reply.header('cache-control', 'no-store').redirect(page, 303)
}

async function sendLoginPage(
  { context, web, reply }: Exchange,
  shown: { next: string; email?: string; refusal?: string | Pause; status?: number },
): Promise<FastifyReply> {
  const providers = await context.database.run(operatorProviders, [])
  const { next, email, refusal, status = 200 } = shown
  const body = (
    <LoginPage
      csrf={web.csrfToken(reply)}
      brand={web.brand.name}
      next={next}
      email={email}
      refusal={refusal}
      providers={providers}
    />
  )
  // The forms lead to the providers, and Chromium checks redirects after a form.
  const formAction = [...new Set(providers.map(({ issuer }) => new URL(issuer).protocol))].join(' ')
  return web.page({ reply, texts: web.english, status, title: 'Sign in to the console', body, formAction })
}

function sendCodePage(
  { web, reply }: Exchange,
  { email }: PendingOperator,
  { refusal, status = 200 }: { refusal?: string | Pause; status?: number } = {},
): FastifyReply {
  const body = (
    <CodePage
      action="/admin/login/second-factor"
      heading="Enter your code"
      intro={
        <>
          Signing in as <bdi>{email}</bdi>.
        </>
      }
      csrf={web.csrfToken(reply)}
      refusal={refusal}
    />
  )
  return web.page({ reply, texts: web.english, status, title: 'Enter your code', body })
}
