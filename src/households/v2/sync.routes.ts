import type { FastifyInstance } from 'fastify'
import type { Context } from '../../context.ts'
import { sendInvalidParameters, sendProblem } from '../../http/api-edge.ts'
import { authenticatedRead, type ReadAnswer } from '../../resource/authenticated-read.ts'
import type { Static } from '../../typebox.ts'
import { findableId, HouseholdParams, householdNotFound } from '../api.ts'
import { defaultSize } from '../page.ts'
import { findHousehold } from './find-household.sql.ts'
import { readPage } from './read-page.ts'
import { getHousehold, syncHouseholds } from './sync.operations.ts'
import { buildSyncPage, createIdDigest } from './sync-page.ts'
import { parseSyncRequest, type RejectedSync, SyncQuery, syncExpiredDetail } from './sync-request.ts'

export async function syncRoutes(app: FastifyInstance, context: Context): Promise<void> {
  await serveSync(app, context)
  serveHousehold(app, context)
}

async function serveSync(app: FastifyInstance, context: Context): Promise<void> {
  const { database, expensiveReadLimiter, keys } = context
  const digest = await createIdDigest()
  app.get<{ Querystring: Static<typeof SyncQuery> }>(
    '/households',
    { schema: { querystring: SyncQuery }, config: { operation: syncHouseholds } },
    (request, reply) =>
      authenticatedRead(context, request, reply, () => {
        const parsed = parseSyncRequest(request.query)
        if (parsed.kind === 'rejected') return { kind: 'rejected', send: rejectionOf(parsed).send }
        const { limit = defaultSize, cursor = '' } = request.query
        return {
          kind: 'read',
          place: { sync: parsed.sync.filters, limit, cursor },
          read: (bearer) =>
            readPage({
              listing: database.listing,
              expensive: (read) =>
                expensiveReadLimiter.admit(bearer.connectionKey, () => read(database.expensive)),
              bearer,
              sync: parsed.sync,
              limit,
            }),
          answer: (page, userId) => {
            const built = buildSyncPage(parsed.sync, page, digest, {
              userId,
              cursor: cursor || undefined,
              keys,
            })
            switch (built.kind) {
              case 'page':
                return { kind: 'page', body: built.body, rows: { households: built.count, accounts: 0 } }
              case 'expired':
                return syncExpired
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
              : { kind: 'page', body: household, rows: { households: 1, accounts: 0 } },
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

const syncExpired: ReadAnswer = {
  kind: 'problem',
  outcome: 'expired',
  send: (reply) => sendProblem(reply, 'sync_expired', syncExpiredDetail),
}
