/**
 * The API of the same stack: Fastify and an ORM behind token introspection. Introspections are not cached, because a revoked
 * token must fail at the next request. The message contains the settings; the reply is the address.
 */
import { and, asc, eq, exists, type SQL, sql } from 'drizzle-orm'
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import { fastify } from 'fastify'
import pg from 'pg'
import { connections } from '../load.ts'
import { accountAccess, accounts, households, roles, users } from './directory.ts'
import { type Introspect, type Introspection, introspector } from './introspector.ts'

export type ListingSettings = { databaseUrl: string; introspection: Introspection }

process.once('message', async ({ databaseUrl, introspection }: ListingSettings) => {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: connections })
  const app = listing(introspector(introspection), statements(drizzle({ client: pool })))
  process.send?.(await app.listen({ host: '127.0.0.1', port: 0 }))
})
process.on('disconnect', () => process.exit())

type Statements = ReturnType<typeof statements>

/** Named prepared statements. */
function statements(db: NodePgDatabase) {
  const slice = { limit: sql.placeholder('limit'), offset: sql.placeholder('offset') }
  const callersFirm = eq(households.firmId, sql.placeholder('firm'))
  const access = db
    .select({ one: sql`1` })
    .from(accounts)
    .innerJoin(accountAccess, eq(accountAccess.accountId, accounts.id))
    .where(and(eq(accountAccess.userId, sql.placeholder('user')), eq(accounts.householdId, households.id)))
  const page = (condition: SQL | undefined) =>
    db
      .select({ id: households.id, name: households.name })
      .from(households)
      .where(condition)
      .orderBy(asc(households.id))
      .limit(slice.limit)
      .offset(slice.offset)
  return {
    findCaller: db
      .select({ firmId: users.firmId, sees: roles.sees })
      .from(users)
      .innerJoin(roles, eq(roles.name, users.role))
      .where(and(eq(users.id, sql.placeholder('user')), eq(users.status, 'active')))
      .prepare('find_caller'),
    firm: page(callersFirm).prepare('households_of_firm'),
    granted: page(and(callersFirm, exists(access))).prepare('households_granted'),
  }
}

const page = {
  querystring: {
    type: 'object',
    properties: {
      page: { type: 'integer', minimum: 0, default: 0 },
      page_size: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
    },
  },
  response: {
    200: {
      type: 'array',
      items: {
        type: 'object',
        properties: { id: { type: 'string' }, name: { type: 'string', nullable: true } },
      },
    },
  },
}

function listing(introspect: Introspect, { findCaller, firm, granted }: Statements) {
  const app = fastify()
  app.get<{ Querystring: { page: number; page_size: number } }>(
    '/households',
    { schema: page },
    async (request, reply) => {
      const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
      const user = token && (await introspect(token))
      const [caller] = user ? await findCaller.execute({ user }) : []
      if (!caller) return reply.code(401).send()
      const limit = request.query.page_size
      const values = { user, firm: caller.firmId, limit, offset: request.query.page * limit }
      return caller.sees === 'firm' ? firm.execute(values) : granted.execute(values)
    },
  )
  return app
}
