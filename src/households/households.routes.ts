import type { FastifyInstance } from 'fastify'
import Type, { type Static } from 'typebox'
import type { Context } from '../context.ts'
import { logOnce } from '../http/access-log.ts'
import { bearerRefusal, readBearer } from '../tokens/bearer.ts'
import { sendBearerRefusal } from '../tokens/bearer-challenge.ts'
import { answers, Household, security } from './api-schemas.ts'
import { deprecation, deprecationHeaders } from './deprecation.ts'
import { cutPage } from './entries.ts'
import { etagOf } from './etag.ts'
import { sendTooManyFarPages } from './far-pages.ts'
import { listAccounts } from './list-accounts.sql.ts'
import { listHouseholds } from './list-households.sql.ts'
import { longestPattern, searchedFor } from './name-pattern.ts'
import { findableId, sendNoSuchHousehold } from './no-such-household.ts'
import { entriesBefore, linkHeader, PageQuery, pageOf } from './page.ts'
import { searchHouseholds } from './search-households.sql.ts'
import { notModified, pageHeaders, sendNotModified, sendPage, stillHeld } from './send-page.ts'

const Account = Type.Object({
  id: Type.String(),
  household_id: Type.String(),
  name: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  number_masked: Type.Optional(Type.String()),
  custodian: Type.Optional(Type.String()),
  currency: Type.Optional(Type.String()),
  status: Type.Literal('active'),
  opened_on: Type.Optional(Type.String({ format: 'date' })),
})

const HouseholdsQuery = Type.Object({
  ...PageQuery,
  name_pattern: Type.Optional(
    Type.String({
      maxLength: longestPattern,
      description: 'Text that the name must contain, ignoring case.',
    }),
  ),
})
const AccountsQuery = Type.Object(PageQuery)
const AccountsParams = Type.Object({ household_id: Type.String() })

const householdsSchema = {
  operationId: 'listHouseholds',
  summary: 'Households visible to the current user',
  deprecated: true,
  security,
  querystring: HouseholdsQuery,
  response: {
    ...answers(
      Type.Array(Household, { headers: { ...pageHeaders, ...deprecationHeaders } }),
      400,
      401,
      404,
      503,
    ),
    304: { ...notModified, headers: { ...notModified.headers, ...deprecationHeaders } },
  },
}
const accountsSchema = {
  operationId: 'listAccounts',
  summary: 'Active accounts of a household',
  security,
  params: AccountsParams,
  querystring: AccountsQuery,
  response: {
    ...answers(Type.Array(Account, { headers: pageHeaders }), 400, 401, 404, 503),
    304: notModified,
  },
}

export function householdRoutes(app: FastifyInstance, context: Context): void {
  const address = `${context.config.baseUrl}api/v1/households`
  serveHouseholds(app, context, address)
  serveAccounts(app, context, address)
}

function serveHouseholds(app: FastifyInstance, context: Context, address: string): void {
  const { config, database, farPages, keys, usage } = context
  app.get<{ Querystring: Static<typeof HouseholdsQuery> }>(
    '/households',
    { schema: householdsSchema, ...deprecation(config.v1) },
    async (request, reply) => {
      const bearer = readBearer(request.headers.authorization, config.environment)
      if (bearer.kind === 'refused') return sendBearerRefusal(reply, config, bearer)
      const pattern = request.query.name_pattern || undefined
      const successor = `${config.baseUrl}api/v2/households`
      const listing = { address, successor, filters: { ...(pattern && { name_pattern: pattern }) } }
      const page = pageOf(request.query, listing, keys.cursor)
      const held = await stillHeld(context, request, bearer.hash, page)
      if (held !== undefined) return sendNotModified(reply, held)
      const before = entriesBefore(page)
      const values = [bearer.hash, page.after, page.size, String(before)]
      const row = await farPages.admit(before, () =>
        pattern
          ? database.one(searchHouseholds, [...values, ...searchedFor(pattern)])
          : database.one(listHouseholds, values),
      )
      if (row === undefined) return sendTooManyFarPages(reply)
      if (row.grant_id === null || row.view === null) {
        return sendBearerRefusal(reply, config, bearerRefusal(row.refusal), row)
      }
      logOnce(request, { event: 'read', client_id: row.client_id, user_id: row.user_id })
      const { body, count, last } = cutPage(row, page.size)
      usage.read(row.grant_id, row.used_at, { households: count, accounts: 0 })
      const etag = etagOf(keys.etag, row.view, page)
      return sendPage(reply, { body, etag, link: linkHeader(page, last, keys.cursor) })
    },
  )
}

function serveAccounts(app: FastifyInstance, context: Context, address: string): void {
  const { config, database, keys, usage } = context
  app.get<{ Params: Static<typeof AccountsParams>; Querystring: Static<typeof AccountsQuery> }>(
    '/households/:household_id/accounts',
    { schema: accountsSchema },
    async (request, reply) => {
      const bearer = readBearer(request.headers.authorization, config.environment)
      if (bearer.kind === 'refused') return sendBearerRefusal(reply, config, bearer)
      const { household_id: id } = request.params
      const listing = { address: `${address}/${encodeURIComponent(id)}/accounts`, filters: {} }
      const page = pageOf(request.query, listing, keys.cursor)
      const held = await stillHeld(context, request, bearer.hash, page)
      if (held !== undefined) return sendNotModified(reply, held)
      const row = await database.one(listAccounts, [
        bearer.hash,
        findableId(id),
        page.size,
        String(entriesBefore(page)),
        page.after,
      ])
      if (row.grant_id === null || row.view === null) {
        return sendBearerRefusal(reply, config, bearerRefusal(row.refusal), row)
      }
      logOnce(request, { event: 'read', client_id: row.client_id, user_id: row.user_id })
      if (!row.household_visible) {
        usage.used(row.grant_id, row.used_at)
        return sendNoSuchHousehold(reply)
      }
      const { body, count, last } = cutPage(row, page.size)
      usage.read(row.grant_id, row.used_at, { households: 0, accounts: count })
      const etag = etagOf(keys.etag, row.view, page)
      return sendPage(reply, { body, etag, link: linkHeader(page, last, keys.cursor) })
    },
  )
}
