import type { FastifyInstance, FastifyReply } from 'fastify'
import Type, { type Static } from 'typebox'
import type { Context } from '../context.ts'
import { browserOf, rememberBrowser } from '../login/known-browser.ts'
import { logIn } from '../login/log-in.ts'
import { refusalStatus } from '../login/refusal.ts'
import { findPartner } from '../partners/partners.sql.ts'
import { startSession } from '../sessions/sessions.ts'
import type { Web } from '../web/edge.tsx'
import { LoginPage, type LoginRefusal } from './login-page.tsx'
import { Destination, nextPage, renewed, unseal } from './sealed-request.ts'

const LoginForm = Type.Object({
  email: Type.String({ maxLength: 320 }),
  password: Type.String(),
  ...Destination.properties,
})

export function loginRoutes(app: FastifyInstance, context: Context, web: Web): void {
  const { config } = context

  app.get<{ Querystring: Destination }>(
    '/login',
    { schema: { querystring: Destination } },
    (request, reply) => sendLoginPage(context, web, reply, 200, request.query),
  )

  app.post<{ Body: Static<typeof LoginForm> }>(
    '/login',
    { schema: { body: LoginForm }, preValidation: web.ownForm },
    async (request, reply) => {
      const { email, password, ...destination } = request.body
      const browser = browserOf(request, config)
      const outcome = await logIn(context, { email, password, address: request.ip, browser })
      request.log.info({
        event: 'login',
        outcome: outcome.kind,
        ...(outcome.kind === 'welcome' && { user_id: outcome.userId }),
      })
      if (outcome.kind !== 'welcome') {
        const shown = { ...destination, email, refusal: outcome }
        return sendLoginPage(context, web, reply, refusalStatus(reply, outcome), shown)
      }
      await startSession(context, request, reply, outcome)
      rememberBrowser(reply, config, browser, outcome.proof)
      return reply.redirect(nextPage(await renewed(destination, context)), 303)
    },
  )
}

async function sendLoginPage(
  context: Context,
  web: Web,
  reply: FastifyReply,
  status: number,
  shown: Destination & { email?: string; refusal?: LoginRefusal },
): Promise<FastifyReply> {
  const texts = await web.texts(reply.request)
  const opened = await partnerOf(shown.request, context)
  const page = (
    <LoginPage
      {...shown}
      texts={texts}
      csrf={web.csrfToken(reply)}
      email={shown.email ?? opened.email}
      partnerName={opened.partnerName}
    />
  )
  return web.page(reply, texts, status, texts.login.heading, page)
}

async function partnerOf(
  sealed: string | undefined,
  { database, keys, now }: Context,
): Promise<{ partnerName?: string | undefined; email?: string | undefined }> {
  const opened = sealed ? await unseal(sealed, keys.seal, now()) : undefined
  if (opened?.kind !== 'open') return {}
  const partner = await database.maybe(findPartner, [opened.request.clientId])
  return { partnerName: partner?.name, email: opened.request.loginHint }
}
