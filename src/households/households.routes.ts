import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { authenticatedRead } from '../resource/authenticated-read.ts'
import { notModified, pageHeaders } from '../resource/send-page.ts'
import Type, { type Static } from '../typebox.ts'
import {
  Account,
  answers,
  deprecation,
  deprecationHeaders,
  findableId,
  Household,
  householdNotFound,
  security,
} from './api.ts'
import { cutPage } from './entries.ts'
import { listAccounts } from './list-accounts.sql.ts'
import { readHouseholds } from './list-page.ts'
import { longestPattern } from './name-pattern.ts'
import { entriesBefore, linkHeader, PageQuery, pageOf } from './page.ts'
import { PagePlaces } from './page-places.ts'

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
      429,
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
  const { config, keys } = context
  const places = new PagePlaces()
  const successor = `${config.baseUrl}api/v2/households`
  app.get<{ Querystring: Static<typeof HouseholdsQuery> }>(
    '/households',
    { schema: householdsSchema, ...deprecation(config.v1) },
    (request, reply) =>
      authenticatedRead(context, request, reply, () => {
        const pattern = request.query.name_pattern || undefined
        const listing = { address, successor, filters: { ...(pattern && { name_pattern: pattern }) } }
        const page = pageOf(request.query, listing, keys)
        return {
          kind: 'read',
          place: page,
          read: (bearer) => readHouseholds(context, places, { page, text: pattern, bearer }),
          answer: ({ body, count, last }) => {
            const link = linkHeader(page, last, keys)
            return { kind: 'page', body, link, rows: { households: count, accounts: 0 } }
          },
        }
      }),
  )
}

function serveAccounts(app: FastifyInstance, context: Context, address: string): void {
  const { database, keys } = context
  app.get<{ Params: Static<typeof AccountsParams>; Querystring: Static<typeof AccountsQuery> }>(
    '/households/:household_id/accounts',
    { schema: accountsSchema },
    (request, reply) =>
      authenticatedRead(context, request, reply, () => {
        const { household_id: id } = request.params
        const listing = { address: `${address}/${encodeURIComponent(id)}/accounts`, filters: {} }
        const page = pageOf(request.query, listing, keys)
        return {
          kind: 'read',
          place: page,
          read: (bearer) =>
            database.listing.one(listAccounts, [
              bearer.value,
              findableId(id),
              page.size,
              String(entriesBefore(page)),
              page.after,
            ]),
          answer: (row) => {
            if (!row.household_visible) return householdNotFound
            const { body, count, last } = cutPage(row, page.size)
            const link = linkHeader(page, last, keys)
            return { kind: 'page', body, link, rows: { households: 0, accounts: count } }
          },
        }
      }),
  )
}
