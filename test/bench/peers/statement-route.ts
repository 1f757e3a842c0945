/**
 * The lower limit of Latchkey's design: a Fastify route that runs the statement of Latchkey's page for one access token, on
 * connections that are shared in the same way, and returns what it read. It has no limits, logs, links or conditional requests.
 * The message contains the settings; the reply is the address.
 */
import { fastify } from 'fastify'
import type pg from 'pg'
import { builtPage, type PageRole } from '../built.ts'

/** `token`: the access token as the statement takes it. */
export type StatementRouteSettings = { databaseUrl: string; role: PageRole; token: string }

const size = 100

process.once('message', async ({ databaseUrl, role, token }: StatementRouteSettings) => {
  const { statement, query } = await builtPage(databaseUrl, role)
  const page: pg.QueryConfig = { ...statement, values: [token, '', size, null] }
  const app = fastify()
  app.get('/', async (_request, reply) => {
    const { count, entries }: { count?: unknown; entries?: unknown } = (await query(page)).rows[0] ?? {}
    if (typeof entries !== 'string') throw new Error('the statement returned no page')
    // The statement reads one household more than the page has, to know whether there is a next page.
    const shown = count === size + 1 ? entries.slice(0, entries.lastIndexOf('{"id":') - 1) : entries
    return reply.type('application/json; charset=utf-8').send(`[${shown}]`)
  })
  process.send?.(await app.listen({ host: '127.0.0.1', port: 0 }))
})
process.on('disconnect', () => process.exit())
