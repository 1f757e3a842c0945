import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { carriedBy, endFlow } from '../idp/browser-flow.ts'
import type { ProviderClients } from '../idp/provider-clients.ts'
import { startProviderLogout } from '../idp/provider-logout.ts'
import { findProvider } from '../idp/providers.sql.ts'
import type { EndedAtProvider } from '../sessions/sessions.ts'
import Type, { type Static } from '../typebox.ts'
import type { Web } from '../web/page-edge.tsx'
import { LoggedOutPage } from './logout-pages.tsx'
import { openPageRequest } from './page-request.ts'
import { leaveFor } from './provider-login.tsx'
import { carriedDestination, type Destination, loginPage } from './sealed-request.ts'

/** Where the browser goes after the logout: on with a partner's sealed logout request, or with a login. */
type Carried = Destination & { logout?: string }

/** A partner's logout request continues: `/logout` redirects to the partner now that no user is logged in. */
export function continuedLogout(logout: string): string {
  return `/logout?${new URLSearchParams({ logout })}`
}

/** Sends the browser to the provider, which ends the user's session there and sends the browser back. */
export async function logOutAtProvider(content: {
  context: Context
  web: Web
  providers: ProviderClients
  request: FastifyRequest
  reply: FastifyReply
  ended: EndedAtProvider
  carried: Carried
}): Promise<FastifyReply> {
  const { context, web, providers, request, reply, ended } = content
  const { logout, request: authorization } = content.carried
  const carried = new URLSearchParams({
    ...(logout && { logout }),
    ...(authorization && { request: authorization }),
  }).toString()
  const provider = await context.database.maybe(findProvider, [ended.providerId])
  const address =
    provider &&
    (await startProviderLogout(
      context,
      providers,
      { request, reply },
      { provider, idToken: ended.idToken, carried },
    ))
  if (!provider || address === undefined) {
    const next = pageAfterLogout(carried) ?? `/idp/${ended.providerId}/logged-out?only=here`
    return reply.redirect(next, 303)
  }
  const { texts } = openPageRequest(context, request)
  return leaveFor({ web, reply, texts, provider, address, heading: texts.idp.leaving })
}

const Params = Type.Object({ id: Type.String() })
const Return = Type.Object({
  state: Type.Optional(Type.String()),
  /** The user is still logged in at the provider. */
  only: Type.Optional(Type.Literal('here')),
})

/** The address to which the provider sends the browser after a logout. */
export function providerLogoutRoutes(app: FastifyInstance, context: Context, web: Web): void {
  app.get<{ Params: Static<typeof Params>; Querystring: Static<typeof Return> }>(
    '/idp/:id/logged-out',
    { schema: { params: Params, querystring: Return } },
    async (request, reply) => {
      const { state = '', only } = request.query
      // Without the flow's cookie, another site may have sent the browser here: then no partner's address is next.
      const flow = endFlow(context, request, reply, { kind: 'logout', state })
      const next = flow?.providerId === request.params.id ? pageAfterLogout(carriedBy(state)) : undefined
      if (next) return reply.redirect(next, 303)
      const { texts } = openPageRequest(context, request)
      const provider = only && (await context.database.maybe(findProvider, [request.params.id]))
      const body = <LoggedOutPage texts={texts} stillAt={provider?.name} />
      return web.page({ reply, texts, title: texts.logout.done.heading, body })
    },
  )
}

/**
 * After a logout in order to switch accounts, the login page does not use the only provider at once: the user may still be
 * logged in there with the same account. Undefined: the page that says that the user is logged out.
 */
function pageAfterLogout(carried: string): string | undefined {
  const logout = new URLSearchParams(carried).get('logout')
  if (logout !== null) return continuedLogout(logout)
  const destination = carriedDestination(carried)
  return destination.request === undefined ? undefined : loginPage(destination, 'account')
}
