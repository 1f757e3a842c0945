import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { refusalStatus } from '../login/refusal.ts'
import Type, { type Static } from '../typebox.ts'
import {
  beginLogin,
  type Code,
  endPending,
  type PendingPerson,
  pendingPerson,
  proveCode,
  rememberPerson,
} from './login.ts'
import { CodePage, LoginPage, type Pause, wrongCode, wrongCredentials } from './login-pages.tsx'
import type { PeopleWeb } from './people-web.ts'
import { nextPage, toPage } from './person-page.ts'
import { providerStatements } from './provider-login.sql.ts'
import { startSession } from './sessions.ts'

const Next = Type.Object({ next: Type.Optional(Type.String({ maxLength: 2000 })) })
const LoginForm = Type.Object({
  email: Type.String({ maxLength: 320 }),
  password: Type.String(),
  ...Next.properties,
})

/** The form of the second factor: a code of the authenticator app, or a recovery code. */
export const CodeForm = Type.Object({
  method: Type.Union([Type.Literal('totp'), Type.Literal('recovery_code')]),
  code: Type.String({ maxLength: 64 }),
})

type Exchange = { context: Context; web: PeopleWeb; request: FastifyRequest; reply: FastifyReply }

/** Operators and developers log in with a password and a second factor. `provider-login.routes.tsx` has the other way. */
export function loginRoutes(app: FastifyInstance, context: Context, web: PeopleWeb): void {
  const { kind, home } = web
  app.get<{ Querystring: Static<typeof Next> }>(
    '/login',
    { schema: { querystring: Next } },
    async (request, reply) => {
      const next = nextPage(web, request.query.next)
      if (await web.personOf(request, context)) return toPage(reply, next)
      return sendLoginPage({ context, web, request, reply }, { next })
    },
  )

  app.post<{ Body: Static<typeof LoginForm> }>(
    '/login',
    { schema: { body: LoginForm }, preValidation: web.ownForm },
    async (request, reply) => {
      const { email, password } = request.body
      const next = nextPage(web, request.body.next)
      const outcome = await beginLogin(context, kind, { request, reply }, { email, password, next })
      request.log.info({ event: `${kind}_login`, outcome: outcome.kind })
      if (outcome.kind === 'second_factor') return toPage(reply, `${home}/login/second-factor`)
      const refusal = outcome.kind === 'refused' ? wrongCredentials : outcome
      const status = refusalStatus(reply, outcome)
      return sendLoginPage({ context, web, request, reply }, { next, email, refusal, status })
    },
  )

  app.get('/login/second-factor', async (request, reply) => {
    const pending = await pendingPerson(context, kind, request)
    if (!pending) return toPage(reply, `${home}/login`)
    return sendCodePage({ context, web, request, reply }, pending)
  })

  app.post<{ Body: Static<typeof CodeForm> }>(
    '/login/second-factor',
    { schema: { body: CodeForm }, preValidation: web.ownForm },
    async (request, reply) => {
      const pending = await pendingPerson(context, kind, request)
      if (!pending) return toPage(reply, `${home}/login`)
      return prove({ context, web, request, reply }, pending, {
        method: request.body.method,
        text: request.body.code,
      })
    },
  )
}

async function prove(exchange: Exchange, pending: PendingPerson, code: Code): Promise<FastifyReply> {
  const { context, web, request, reply } = exchange
  const { kind, home } = web
  const outcome = await proveCode(context, kind, request, pending, code)
  switch (outcome.kind) {
    case 'proved': {
      endPending(context, kind, reply)
      if (!(await startSession(context, kind, { request, reply }, pending)))
        return toPage(reply, `${home}/login`)
      rememberPerson(context, kind, { request, reply }, pending)
      return toPage(reply, nextPage(web, pending.next))
    }
    case 'throttled':
      reply.header('retry-after', String(outcome.retryAfterSeconds))
      return sendCodePage(exchange, pending, { refusal: outcome, status: 429 })
    case 'refused':
      return sendCodePage(exchange, pending, { refusal: wrongCode, status: 403 })
  }
}

async function sendLoginPage(
  { context, web, reply }: Exchange,
  shown: { next: string; email?: string; refusal?: string | Pause; status?: number },
): Promise<FastifyReply> {
  const providers = await context.database.run(providerStatements[web.kind].list, [])
  const { next, email, refusal, status = 200 } = shown
  const body = (
    <LoginPage
      home={web.home}
      words={web.words}
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
  return web.page({ reply, texts: web.english, status, title: web.words.signIn, body, formAction })
}

function sendCodePage(
  { web, reply }: Exchange,
  { email }: PendingPerson,
  { refusal, status = 200 }: { refusal?: string | Pause; status?: number } = {},
): FastifyReply {
  const body = (
    <CodePage
      action={`${web.home}/login/second-factor`}
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
