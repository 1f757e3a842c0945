import type { FastifyInstance } from 'fastify'
import type { Context } from '../../context.ts'
import { sendInvalidParameters, sendProblem } from '../../http/api-edge.ts'
import { authenticatedRead, type ReadAnswer } from '../../resource/authenticated-read.ts'
import { expensiveReads } from '../../resource/expensive-read.ts'
import { notModified } from '../../resource/send-page.ts'
import Type, { type Static } from '../../typebox.ts'
import { answers, findableId, Household, householdNotFound, security } from '../api.ts'
import { defaultSize } from '../page.ts'
import { findHousehold } from './find-household.sql.ts'
import { daysKept } from './list-changes.sql.ts'
import { readPage } from './read-page.ts'
import { buildSyncPage, createIdDigest } from './sync-page.ts'
import { parseSyncRequest, type RejectedSync, SyncQuery } from './sync-request.ts'

const HouseholdPage = Type.Object({
  data: Type.Array(Household),
  removed: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'With `updated_since`: ids of households that are no longer visible. Some may have become visible only after that instant.',
    }),
  ),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
  receipt: Type.Optional(
    Type.Object(
      {
        count: Type.Integer({ description: 'Households in `data`, over all pages.' }),
        removed: Type.Optional(Type.Integer({ description: 'Ids in `removed`, over all pages.' })),
        sha256: Type.String({
          description:
            'SHA-256 of the ids in `data` in the order sent, each followed by a line feed; hexadecimal.',
        }),
        as_of: Type.String({ description: 'Send it as `updated_since` next time.' }),
      },
      { description: 'On the last page, for the whole sync.' },
    ),
  ),
})
const HouseholdParams = Type.Object({ household_id: Type.String() })

const syncSchema = {
  operationId: 'walkHouseholds',
  summary: 'Households visible to the current user, or what changed of them',
  security,
  querystring: SyncQuery,
  response: { ...answers(HouseholdPage, 400, 401, 410, 429, 503), 304: notModified },
}
const householdSchema = {
  operationId: 'getHousehold',
  summary: 'A household visible to the current user',
  security,
  params: HouseholdParams,
  response: { ...answers(Household, 400, 401, 404, 503), 304: notModified },
}

export async function syncRoutes(app: FastifyInstance, context: Context): Promise<void> {
  await serveSync(app, context)
  serveHousehold(app, context)
}

async function serveSync(app: FastifyInstance, context: Context): Promise<void> {
  const { database, keys } = context
  const digest = await createIdDigest()
  app.get<{ Querystring: Static<typeof SyncQuery> }>(
    '/households',
    { schema: syncSchema },
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
              expensive: expensiveReads(context, bearer),
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
    { schema: householdSchema },
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
  send: (reply) =>
    sendProblem(
      reply,
      'sync_expired',
      `updated_since is more than ${daysKept} days ago, or the user's role or firm has changed since then or since this ` +
        'sync began; read all households again, without updated_since and cursor, and continue from the as_of of that receipt',
    ),
}
