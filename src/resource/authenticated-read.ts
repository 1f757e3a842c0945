import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { sendProblem } from '../http/api-edge.ts'
import { noteCall } from '../http/call-notes.ts'
import { logOnce } from '../http/log.ts'
import { bearerRefusal } from '../http/refusals.ts'
import type { ReadRefusal } from '../process/limiters.ts'
import type { ShownHouseholds } from '../read-log/shown-households.ts'
import type { Static, TObject } from '../typebox.ts'
import type { CallerColumns } from './bearer.sql.ts'
import { type BearerToken, readBearer, sendBearerRefusal } from './bearer.ts'
import { etagOf, matchIfNoneMatch, matchingTag } from './conditional.ts'
import { LimitedCall, refuseBearer } from './limited-call.ts'
import { sendNotModified, sendPage } from './send-page.ts'

/** What a statement says about the call that it authenticates; statements that read a page add the visibility version. */
export type CallerRow = Static<TObject<typeof CallerColumns>> & { visibility_version?: string | null }

export type ReadAnswer =
  /** `rows` counts the rows in the answer, for the usage counts. `shown` is for the read log. */
  | {
      kind: 'page'
      body: string
      link?: string | undefined
      rows: { households: number; accounts: number }
      shown: ShownHouseholds
    }
  /** The call is authenticated, but there is nothing to read. `outcome` is for the log. */
  | { kind: 'problem'; outcome: string; send(reply: FastifyReply): FastifyReply }

export type ReadPlan<Row extends CallerRow> = {
  kind: 'read'
  /** Everything in the address that decides the answer. */
  place: object
  /** Runs the statement that authenticates the call and reads, unless a limiter refuses to run it. */
  read(bearer: BearerToken): Promise<Row | ReadRefusal>
  answer(row: Row, userId: string): ReadAnswer
}

/** A request that no statement has to be run for. */
export type RejectedRead = { kind: 'rejected'; send(reply: FastifyReply): FastifyReply }

/**
 * The steps of every call that reads households or accounts, in order: bearer token, request, limits if the caller is known,
 * If-None-Match, the statement that authenticates and reads, refusal, limits, log, usage, answer.
 * @throws {DatabaseUnavailable}
 */
export async function authenticatedRead<Row extends CallerRow>(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  plan: () => ReadPlan<Row> | RejectedRead,
): Promise<FastifyReply> {
  const { usage } = context
  const bearer = readBearer(context, request.headers.authorization, request.query)
  if (bearer.kind === 'refused') return refuseBearer(context, reply, bearer)

  const planned = plan()
  if (planned.kind === 'rejected') return planned.send(reply)

  const call = new LimitedCall(context, request, reply, bearer)
  if (!(await call.mayRun())) return reply

  const ifNoneMatch = request.headers['if-none-match']
  const unchanged = await matchIfNoneMatch(context, ifNoneMatch, bearer, planned.place)
  if (unchanged) {
    const { client_id, user_id, grant_id, used_at } = unchanged.caller
    if (!(await call.mayBeAnswered({ clientId: client_id, userId: user_id }))) return reply
    logOnce(request, { event: 'read', outcome: 'not_modified', client_id, user_id })
    noteCall(request, { grantId: grant_id })
    usage.used(grant_id, used_at)
    return sendNotModified(reply, unchanged.tag)
  }

  const row = await planned.read(bearer)
  if (isReadRefusal(row)) return sendReadRefusal(request, reply, row)
  return sendAnswer(context, request, reply, planned, call, row)
}

/** The steps after the statement. */
async function sendAnswer<Row extends CallerRow>(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  { answer: answerOf, place }: ReadPlan<Row>,
  call: LimitedCall,
  row: Row,
): Promise<FastifyReply> {
  const { config, keys, usage } = context
  const { grant_id, user_id, client_id, used_at, visibility_version: version } = row
  if (row.refusal !== null || grant_id === null || user_id === null || client_id === null || !version) {
    call.unauthenticated()
    return sendBearerRefusal(reply, config, bearerRefusal(row.refusal ?? 'unknown'), row)
  }
  noteCall(request, { grantId: grant_id })
  if (!(await call.mayBeAnswered({ clientId: client_id, userId: user_id }))) return reply

  const answer = answerOf(row, user_id)
  if (answer.kind === 'problem') {
    logOnce(request, { event: 'read', outcome: answer.outcome, client_id, user_id })
    usage.used(grant_id, used_at)
    return answer.send(reply)
  }
  logOnce(request, { event: 'read', outcome: 'page', client_id, user_id })
  usage.read(grant_id, used_at, answer.rows)
  const etag = etagOf(keys.current.etag, version, place)
  if (sendsPage(request, etag)) {
    context.readLog.read({ grantId: grant_id, clientId: client_id, userId: user_id }, used_at, answer.shown)
  }
  return sendPage(reply, { body: answer.body, etag, link: answer.link })
}

/** The answer to HEAD has no page, and a 304 has none. */
function sendsPage({ method, headers }: FastifyRequest, etag: string): boolean {
  return method === 'GET' && matchingTag(headers['if-none-match'], etag) === undefined
}

function isReadRefusal(row: CallerRow | ReadRefusal): row is ReadRefusal {
  return 'bound' in row
}

const busy = {
  token: {
    wait: '1',
    code: 'too_many_requests',
    detail: 'Too many searches of this access token are running or waiting.',
  },
  partner: {
    wait: '1',
    code: 'too_many_requests',
    detail: 'Too many searches of this application are running or waiting.',
  },
  server: { wait: '5', code: 'unavailable', detail: 'Too many searches are running or waiting.' },
} as const

function sendReadRefusal(request: FastifyRequest, reply: FastifyReply, { bound }: ReadRefusal): FastifyReply {
  logOnce(request, { event: 'read', outcome: `${bound}_busy` })
  const { wait, code, detail } = busy[bound]
  const advice =
    'Wait for their answers. To read many pages, follow the rel="next" link of the Link header: it costs the same on every page.'
  return sendProblem(reply.header('retry-after', wait), code, `${detail} ${advice}`)
}
