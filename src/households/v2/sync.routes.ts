import type { FastifyInstance } from 'fastify'
import type { Context } from '../../context.ts'
import { sendInvalidParameters, sendProblem } from '../../http/api-edge.ts'
import { authenticatedRead, type ReadAnswer } from '../../resource/authenticated-read.ts'
import { expensiveReads } from '../../resource/expensive-read.ts'
import type { Static } from '../../typebox.ts'
import { findableId, HouseholdParams, householdNotFound, oneHousehold } from '../api.ts'
import { householdIds, householdIdsOfAccounts } from '../entries.ts'
import { defaultSize } from '../page.ts'
import { findHousehold } from './find-household.sql.ts'
import { readPage } from './read-page.ts'
import { getHousehold, syncs } from './sync.operations.ts'
import type { Resource } from './sync-cursor.ts'
import { buildSyncPage, createIdDigest, type IdDigest } from './sync-page.ts'
import {
  type AnySyncQuery,
  parseSyncRequest,
  type RejectedSync,
  syncExpiredDetail,
  syncQueries,
} from './sync-request.ts'

export async function syncRoutes(app: FastifyInstance, context: Context): Promise<void> {
  const digest = await createIdDigest()
  serveSync(app, context, 'households', digest)
  serveSync(app, context, 'accounts', digest)
  serveHousehold(app, context)
}

const shownIds = { households: householdIds, accounts: householdIdsOfAccounts }

function serveSync(app: FastifyInstance, context: Context, resource: Resource, digest: IdDigest): void {
  const { database, keys } = context
  app.get<{ Querystring: AnySyncQuery }>(
    `/${resource}`,
    { schema: { querystring: syncQueries[resource] }, config: { operation: syncs[resource] } },
    (request, reply) =>
      authenticatedRead(context, request, reply, () => {
        const parsed = parseSyncRequest(resource, request.query)
        if (parsed.kind === 'rejected') return { kind: 'rejected', send: rejectionOf(parsed).send }
        const { limit = defaultSize, cursor = '' } = request.query
        return {
          kind: 'read',
          place: { resource, sync: parsed.sync.filters, limit, cursor },
          read: (bearer) =>
            readPage[resource]({
              listing: database.listing,
              expensive: expensiveReads(context, bearer),
              bearer,
              sync: parsed.sync,
              limit,
            }),
          answer: (page, userId) => {
            const owner = { resource, userId, cursor: cursor || undefined, keys }
            const built = buildSyncPage(parsed.sync, page, digest, owner)
            switch (built.kind) {
              case 'page':
                return {
                  kind: 'page',
                  body: built.body,
                  rows: { households: 0, accounts: 0, [resource]: built.count },
                  shown: { json: page.data, ids: shownIds[resource] },
                }
              case 'expired':
                return syncExpired(resource)
              case 'rejected':
                return rejectionOf(built)
            }
          },
        }
      }),
  )
}

function serveHousehold(app: FastifyInstance, context: Context): void {
  const { database } = context
  app.get<{ Params: Static<typeof HouseholdParams> }>(
    '/households/:household_id',
    { schema: { params: HouseholdParams }, config: { operation: getHousehold } },
    (request, reply) =>
      authenticatedRead(context, request, reply, () => {
        const { household_id: id } = request.params
        return {
          kind: 'read',
          place: { id },
          read: (bearer) => database.listing.one(findHousehold, [bearer.value, findableId(id)]),
          answer: ({ household }) =>
            household === null
              ? householdNotFound
              : {
                  kind: 'page',
                  body: household,
                  rows: { households: 1, accounts: 0 },
                  shown: oneHousehold(id),
                },
        }
      }),
  )
}

function rejectionOf({ parameter, detail }: RejectedSync): ReadAnswer & { kind: 'problem' } {
  return {
    kind: 'problem',
    outcome: 'rejected',
    send: (reply) => sendInvalidParameters(reply, [{ parameter, detail }]),
  }
}

const syncExpired = (resource: Resource): ReadAnswer => ({
  kind: 'problem',
  outcome: 'expired',
  send: (reply) => sendProblem(reply, 'sync_expired', syncExpiredDetail(resource)),
})
