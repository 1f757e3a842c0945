import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { authenticatedRead } from '../resource/authenticated-read.ts'
import { expensiveReads } from '../resource/expensive-read.ts'
import type { Static } from '../typebox.ts'
import { deprecation, findableId, HouseholdParams, householdNotFound, oneHousehold } from './api.ts'
import { cutPage, householdIds } from './entries.ts'
import {
  AccountsQuery,
  HouseholdsQuery,
  listAccountsOfHousehold,
  listHouseholds,
} from './households.operations.ts'
import { listAccounts } from './list-accounts.sql.ts'
import { newHints, readHouseholds } from './list-page.ts'
import { entriesBefore, linkHeader, pageOf } from './page.ts'

export function householdRoutes(app: FastifyInstance, context: Context): void {
  const address = `${context.config.baseUrl}api/v1/households`
  serveHouseholds(app, context, address)
  serveAccounts(app, context, address)
}

function serveHouseholds(app: FastifyInstance, context: Context, address: string): void {
  const { config, database, keys } = context
  const hints = newHints()
  const successor = `${config.baseUrl}api/v2/households`
  app.get<{ Querystring: Static<typeof HouseholdsQuery> }>(
    '/households',
    {
      schema: { querystring: HouseholdsQuery },
      config: { operation: listHouseholds },
      ...deprecation(context, successor),
    },
    (request, reply) =>
      authenticatedRead(context, request, reply, () => {
        const pattern = request.query.name_pattern || undefined
        const listing = { address, successor, filters: { ...(pattern && { name_pattern: pattern }) } }
        const page = pageOf(request.query, listing, keys)
        return {
          kind: 'read',
          place: page,
          read: (bearer) => {
            const expensive = expensiveReads(context, bearer)
            return readHouseholds({ listing: database.listing, expensive }, hints, {
              page,
              text: pattern,
              bearer,
            })
          },
          answer: ({ body, count, last }) => {
            const link = linkHeader(page, last, keys)
            const shown = { json: body, ids: householdIds }
            return { kind: 'page', body, link, rows: { households: count, accounts: 0 }, shown }
          },
        }
      }),
  )
}

function serveAccounts(app: FastifyInstance, context: Context, address: string): void {
  const { database, keys } = context
  app.get<{ Params: Static<typeof HouseholdParams>; Querystring: Static<typeof AccountsQuery> }>(
    '/households/:household_id/accounts',
    {
      schema: { params: HouseholdParams, querystring: AccountsQuery },
      config: { operation: listAccountsOfHousehold },
    },
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
            return {
              kind: 'page',
              body,
              link,
              rows: { households: 0, accounts: count },
              shown: oneHousehold(id),
            }
          },
        }
      }),
  )
}
