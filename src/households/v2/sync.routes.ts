import type { FastifyInstance } from 'fastify'
import type { Context } from '../../context.ts'
import { sendInvalidParameters, sendProblem } from '../../http/api-edge.ts'
import { authenticatedRead, type ReadAnswer } from '../../resource/authenticated-read.ts'
import { notModified } from '../../resource/send-page.ts'
import Type, { type Static, type TSchema } from '../../typebox.ts'
import { Account, answers, findableId, Household, householdNotFound, security } from '../api.ts'
import { defaultSize } from '../page.ts'
import { findHousehold } from './find-household.sql.ts'
import { daysKept } from './list-changes.sql.ts'
import { readPage } from './read-page.ts'
import type { Resource } from './sync-cursor.ts'
import { buildSyncPage, createIdDigest, type IdDigest } from './sync-page.ts'
import {
  type AnySyncQuery,
  NameContains,
  parseSyncRequest,
  type RejectedSync,
  SyncQuery,
} from './sync-request.ts'

/** A page of a sync. `what` names the rows in it. */
const pageOf = <Row extends TSchema>(row: Row, what: string) =>
  Type.Object({
    data: Type.Array(row),
    removed: Type.Optional(
      Type.Array(Type.String(), {
        description:
          `With \`updated_since\`: ids of ${what} that are no longer visible. ` +
          'Some may have become visible only after that instant.',
      }),
    ),
    next_cursor: Type.Union([Type.String(), Type.Null()]),
    receipt: Type.Optional(
      Type.Object(
        {
          count: Type.Integer({ description: 'Entries of `data`, over all pages.' }),
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
const HouseholdPage = pageOf(Household, 'households')
const AccountPage = pageOf(Account, 'accounts')
const HouseholdParams = Type.Object({ household_id: Type.String() })

const syncs = {
  households: {
    operationId: 'walkHouseholds',
    summary: 'Households visible to the current user, or what changed of them',
    security,
    querystring: Type.Object({ ...SyncQuery, ...NameContains }),
    response: { ...answers(HouseholdPage, 400, 401, 410, 429, 503), 304: notModified },
  },
  accounts: {
    operationId: 'syncAccounts',
    summary: 'Active accounts visible to the current user, in all households, or what changed of them',
    security,
    querystring: Type.Object(SyncQuery),
    response: { ...answers(AccountPage, 400, 401, 410, 429, 503), 304: notModified },
  },
}
const householdSchema = {
  operationId: 'getHousehold',
  summary: 'A household visible to the current user',
  security,
  params: HouseholdParams,
  response: { ...answers(Household, 400, 401, 404, 503), 304: notModified },
}

export async function syncRoutes(app: FastifyInstance, context: Context): Promise<void> {
  const digest = await createIdDigest()
  serveSync(app, context, 'households', digest)
  serveSync(app, context, 'accounts', digest)
  serveHousehold(app, context)
}

function serveSync(app: FastifyInstance, context: Context, resource: Resource, digest: IdDigest): void {
  const { database, expensiveReadLimiter, keys } = context
  app.get<{ Querystring: AnySyncQuery }>(`/${resource}`, { schema: syncs[resource] }, (request, reply) =>
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
            expensive: (read) =>
              expensiveReadLimiter.admit(bearer.connectionKey, () => read(database.expensive)),
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

const syncExpired = (resource: Resource): ReadAnswer => ({
  kind: 'problem',
  outcome: 'expired',
  send: (reply) =>
    sendProblem(
      reply,
      'sync_expired',
      `updated_since is more than ${daysKept} days ago, or the user's role or firm has changed since then or since this ` +
        `sync began; read all ${resource} again, without updated_since and cursor, and continue from the as_of of that receipt`,
    ),
})
