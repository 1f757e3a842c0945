import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Context } from '../context.ts'
import type { ProviderClients } from '../idp/provider-clients.ts'
import { proveCode } from '../operators/login.ts'
import { recentMinutes } from '../operators/sessions.sql.ts'
import { confirmSession } from '../operators/sessions.ts'
import Type, { type Static } from '../typebox.ts'
import type { ConsoleWeb } from './edge.ts'
import { CodeForm, toPage } from './login.routes.tsx'
import { CodePage, type Pause, wrongCode } from './login-pages.tsx'
import { nextPage, operatorPage } from './operator-page.ts'
import { goToOperatorProvider } from './provider-login.routes.tsx'

const Next = Type.Object({ next: Type.Optional(Type.String({ maxLength: 2000 })) })
const Form = Type.Object({ ...CodeForm.properties, ...Next.properties })

/** Before something dangerous, an operator proves their identity again: the browser may be unlocked, or the cookie stolen. */
export function confirmRoutes(
  app: FastifyInstance,
  context: Context,
  web: ConsoleWeb,
  providers: ProviderClients,
): void {
  const url = '/admin/confirm'
  const send = (reply: FastifyReply, next: string, csrf: string, refusal?: string | Pause, status = 200) => {
    const body = (
      <CodePage
        action={url}
        heading="Confirm that it’s you"
        intro={`What comes next can’t be undone easily. You won’t be asked again for ${recentMinutes} minutes.`}
        csrf={csrf}
        refusal={refusal}
      >
        <input type="hidden" name="next" value={next} />
      </CodePage>
    )
    return web.page({ reply, texts: web.english, status, title: 'Confirm that it’s you', body })
  }

  operatorPage<{ Querystring: Static<typeof Next> }>(
    app,
    context,
    web,
    { url, scope: 'any', schema: { querystring: Next } },
    async ({ request, reply, operator, csrf }) => {
      const next = nextPage(request.query.next)
      if (operator.isRecent) return toPage(reply, next)
      if (operator.providerId === null) return send(reply, next, csrf)
      const wish = { again: true, loginHint: operator.email }
      return goToOperatorProvider(
        { context, web, providers, request, reply },
        operator.providerId,
        next,
        wish,
      )
    },
  )

  operatorPage<{ Body: Static<typeof Form> }>(
    app,
    context,
    web,
    { method: 'POST', url, scope: 'any', schema: { body: Form } },
    async ({ request, reply, operator, csrf }) => {
      const { method, code } = request.body
      const next = nextPage(request.body.next)
      const outcome = await proveCode(context, request, operator, { method, text: code })
      if (outcome.kind === 'proved') {
        const isLive = await confirmSession(context, reply, operator)
        return toPage(reply, isLive ? next : '/admin/login')
      }
      if (outcome.kind === 'refused') return send(reply, next, csrf, wrongCode, 403)
      reply.header('retry-after', String(outcome.retryAfterSeconds))
      return send(reply, next, csrf, outcome, 429)
    },
  )
}
