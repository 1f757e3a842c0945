import type { FastifyInstance, FastifyReply } from 'fastify'
import Type, { type Static } from 'typebox'
import type { Context } from '../../context.ts'
import { logOnce } from '../../http/access-log.ts'
import { sendInvalidParameters, sendProblem } from '../../http/api-edge.ts'
import { bearerRefusal, readBearer } from '../../tokens/bearer.ts'
import { sendBearerRefusal } from '../../tokens/bearer-challenge.ts'
import { answers, Household, security } from '../api-schemas.ts'
import { etagOf } from '../etag.ts'
import { findableId, sendNoSuchHousehold } from '../no-such-household.ts'
import { defaultSize } from '../page.ts'
import { notModified, sendNotModified, sendPage, stillHeld } from '../send-page.ts'
import { answerWalk } from './answer-walk.ts'
import { daysKept } from './changes-kept.sql.ts'
import { findHousehold } from './find-household.sql.ts'
import { createIdDigest } from './id-digest.ts'
import { readPage } from './read-page.ts'
import { askedWalk, type Refused, WalkQuery } from './walk.ts'

const HouseholdPage = Type.Object({
  data: Type.Array(Household),
  removed: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'With `updated_since`: ids of households that are no longer visible, or that came and went meanwhile.',
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
        as_of: Type.String({ description: 'To be sent as `updated_since` next time.' }),
      },
      { description: 'On the last page, for the whole walk.' },
    ),
  ),
})
const HouseholdParams = Type.Object({ household_id: Type.String() })

const walkSchema = {
  operationId: 'walkHouseholds',
  summary: 'Households visible to the current user, or what changed of them',
  security,
  querystring: WalkQuery,
  response: { ...answers(HouseholdPage, 400, 401, 410, 503), 304: notModified },
}
const householdSchema = {
  operationId: 'getHousehold',
  summary: 'A household visible to the current user',
  security,
  params: HouseholdParams,
  response: { ...answers(Household, 400, 401, 404, 503), 304: notModified },
}

export async function walkRoutes(app: FastifyInstance, context: Context): Promise<void> {
  await serveWalks(app, context)
  serveHousehold(app, context)
}

async function serveWalks(app: FastifyInstance, context: Context): Promise<void> {
  const { config, database, keys, usage } = context
  const digest = await createIdDigest()
  app.get<{ Querystring: Static<typeof WalkQuery> }>(
    '/households',
    { schema: walkSchema },
    async (request, reply) => {
      const bearer = readBearer(request.headers.authorization, config.environment)
      if (bearer.kind === 'refused') return sendBearerRefusal(reply, config, bearer)
      const asked = askedWalk(request.query)
      if (asked.kind === 'refused') return sendRefused(reply, asked)
      const { limit = defaultSize, cursor = '' } = request.query
      const place = { walk: asked.walk.filters, limit, cursor }
      const held = await stillHeld(context, request, bearer.hash, place)
      if (held !== undefined) return sendNotModified(reply, held)
      const page = await readPage(database, bearer.hash, asked.walk, limit)
      const { grant_id: grantId, user_id: userId, client_id, used_at, refusal } = page.caller
      if (grantId === null || userId === null || page.view === null) {
        return sendBearerRefusal(reply, config, bearerRefusal(refusal), page.caller)
      }
      const answer = answerWalk(asked.walk, page, digest, {
        userId,
        cursor: cursor || undefined,
        key: keys.cursor,
      })
      logOnce(request, { event: 'read', outcome: answer.kind, client_id, user_id: userId })
      if (answer.kind === 'page') {
        usage.read(grantId, used_at, { households: answer.count, accounts: 0 })
        return sendPage(reply, { body: answer.body, etag: etagOf(keys.etag, page.view, place) })
      }
      usage.used(grantId, used_at)
      return answer.kind === 'expired' ? sendExpired(reply) : sendRefused(reply, answer)
    },
  )
}

function serveHousehold(app: FastifyInstance, context: Context): void {
  const { config, database, keys, usage } = context
  app.get<{ Params: Static<typeof HouseholdParams> }>(
    '/households/:household_id',
    { schema: householdSchema },
    async (request, reply) => {
      const bearer = readBearer(request.headers.authorization, config.environment)
      if (bearer.kind === 'refused') return sendBearerRefusal(reply, config, bearer)
      const { household_id: id } = request.params
      const held = await stillHeld(context, request, bearer.hash, { id })
      if (held !== undefined) return sendNotModified(reply, held)
      const row = await database.one(findHousehold, [bearer.hash, findableId(id)])
      if (row.grant_id === null || row.view === null) {
        return sendBearerRefusal(reply, config, bearerRefusal(row.refusal), row)
      }
      logOnce(request, { event: 'read', client_id: row.client_id, user_id: row.user_id })
      if (row.household === null) {
        usage.used(row.grant_id, row.used_at)
        return sendNoSuchHousehold(reply)
      }
      usage.read(row.grant_id, row.used_at, { households: 1, accounts: 0 })
      return sendPage(reply, { body: row.household, etag: etagOf(keys.etag, row.view, { id }) })
    },
  )
}

function sendRefused(reply: FastifyReply, { parameter, detail }: Refused): FastifyReply {
  return sendInvalidParameters(reply, [{ parameter, detail }])
}

function sendExpired(reply: FastifyReply): FastifyReply {
  return sendProblem(
    reply,
    'sync_expired',
    `updated_since is more than ${daysKept} days ago, or since then, or since the walk began, another role or firm decides ` +
      'what the user sees; walk all households again, without updated_since and cursor, and go on from the as_of of that receipt',
  )
}
