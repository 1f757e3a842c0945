import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Context } from '../context.ts'
import type { ProviderClients } from '../idp/provider-clients.ts'
import Type, { type Static } from '../typebox.ts'
import { CodeForm } from './login.routes.tsx'
import { proveCode } from './login.ts'
import { CodePage, type Pause, wrongCode } from './login-pages.tsx'
import type { PeopleWeb } from './people-web.ts'
import { nextPage, personPage, toPage } from './person-page.ts'
import { goToPersonProvider } from './provider-login.routes.tsx'
import { recentMinutes } from './sessions.sql.ts'
import { confirmSession, type Person } from './sessions.ts'

const Next = Type.Object({ next: Type.Optional(Type.String({ maxLength: 2000 })) })
const Form = Type.Object({ ...CodeForm.properties, ...Next.properties })

const heading = 'Confirm that it’s you'

/** Before something dangerous, a person proves their identity again: the browser may be unlocked, or the cookie stolen. */
export function confirmRoutes(
  app: FastifyInstance,
  context: Context,
  web: PeopleWeb,
  providers: ProviderClients,
): void {
  const { kind, home } = web
  const url = `${home}/confirm`
  const send = (reply: FastifyReply, next: string, csrf: string, refusal?: string | Pause, status = 200) => {
    const body = <ConfirmPage {...{ home, next, csrf, refusal }} />
    return web.page({ reply, texts: web.english, status, title: heading, body })
  }

  personPage<Person, { Querystring: Static<typeof Next> }>(
    app,
    context,
    web,
    { url, schema: { querystring: Next } },
    async ({ request, reply, person, csrf }) => {
      const next = nextPage(web, request.query.next)
      if (person.isRecent) return toPage(reply, next)
      if (person.providerId === null) return send(reply, next, csrf)
      const wish = { again: true, loginHint: person.email }
      return goToPersonProvider({ context, web, providers, request, reply }, person.providerId, next, wish)
    },
  )

  personPage<Person, { Body: Static<typeof Form> }>(
    app,
    context,
    web,
    { method: 'POST', url, schema: { body: Form } },
    async ({ request, reply, person, csrf }) => {
      const { method, code } = request.body
      const next = nextPage(web, request.body.next)
      const outcome = await proveCode(context, kind, request, person, { method, text: code })
      if (outcome.kind === 'proved') {
        const isLive = await confirmSession(context, kind, reply, person)
        return toPage(reply, isLive ? next : `${home}/login`)
      }
      if (outcome.kind === 'refused') return send(reply, next, csrf, wrongCode, 403)
      reply.header('retry-after', String(outcome.retryAfterSeconds))
      return send(reply, next, csrf, outcome, 429)
    },
  )
}

function ConfirmPage(props: {
  home: string
  next: string
  csrf: string
  refusal: string | Pause | undefined
}) {
  const { home, next, csrf, refusal } = props
  return (
    <CodePage
      action={`${home}/confirm`}
      heading={heading}
      intro={`What comes next can’t be undone easily. You won’t be asked again for ${recentMinutes} minutes.`}
      csrf={csrf}
      refusal={refusal}
    >
      <input type="hidden" name="next" value={next} />
    </CodePage>
  )
}
