import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { decoratePageForPeople } from '../http/page-for-people.ts'
import { liveSession } from '../sessions/sessions.ts'
import type { Web } from '../web/page-edge.tsx'
import { appsOfUser } from './front.sql.ts'
import { FrontPage } from './front-page.tsx'

/** The page at `{auth_url}`, and the addresses that people try because other services have them. */
export function frontRoutes(app: FastifyInstance, context: Context, web: Web): void {
  const { config, database } = context
  const docs = `${config.baseUrl}docs`
  const console = config.admin.listener ? undefined : '/admin'

  app.get('/', async (request, reply) => {
    const session = await liveSession(request, context)
    const texts = web.texts(request)
    const user = session && {
      name: session.user_name,
      apps: await database.run(appsOfUser, [session.user_id]),
    }
    const title = user ? texts.connections.heading : texts.front.heading
    const body = <FrontPage texts={texts} docs={docs} console={console} user={user} />
    return web.page({ reply, texts, title, body, wide: true, localTimes: user !== undefined })
  })

  for (const [path, address] of Object.entries({
    '/docs': docs,
    '/account': '/connections',
    '/signin': '/login',
    '/sign-in': '/login',
    // Password managers open it (W3C, "A Well-Known URL for Changing Passwords").
    '/.well-known/change-password': '/password',
  })) {
    app.get(path, (_request, reply) => reply.redirect(address, 303))
  }

  // Search engines may read the docs. All other pages are for one user.
  const robots = `User-agent: *\nAllow: ${new URL(docs).pathname}\nDisallow: /\n`
  app.get('/robots.txt', (_request, reply) =>
    reply.header('cache-control', 'public, max-age=3600').type('text/plain; charset=utf-8').send(robots),
  )
}

/** A person who opens an address of the API in a browser gets a page that leads to the docs, instead of JSON. */
export function pagesForPeople(app: FastifyInstance, { config }: Context, web: Web): void {
  decoratePageForPeople(app, (request, reply, status) => {
    const texts = web.texts(request)
    const { heading, text } = texts.errors.forApplications
    const recoveryLink = { label: texts.front.developers.link, href: `${config.baseUrl}docs` }
    return web.errorPage({ reply, texts, status, heading, text: <p>{text}</p>, recoveryLink })
  })
}
