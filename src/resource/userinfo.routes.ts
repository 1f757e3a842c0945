import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { statement } from '../database/database.ts'
import { noteCall } from '../http/call-notes.ts'
import { bearerRefusal } from '../http/refusals.ts'
import Type from '../typebox.ts'
import { CallerColumns, callerColumns, callerOf } from './bearer.sql.ts'
import { type Bearer, readBearer, readBearerOfForm, sendBearerRefusal } from './bearer.ts'
import { LimitedCall, refuseBearer } from './limited-call.ts'
import { getUserInfo, postUserInfo } from './userinfo.operations.ts'

/**
 * The UserInfo endpoint (OpenID Connect Core section 5.3). `openid` is the only scope, so the answer has only the subject.
 * The endpoint takes an access token, so it refuses requests in the same way as the API.
 */
export function userinfoRoutes(app: FastifyInstance, context: Context): void {
  const { config, database, usage } = context
  const answer = async (request: FastifyRequest, reply: FastifyReply, bearer: Bearer) => {
    if (bearer.kind === 'refused') return refuseBearer(context, reply, bearer)
    const call = new LimitedCall(context, request, reply, bearer)
    if (!(await call.mayRun())) return reply
    const row = await database.shortReads.one(findSubject, [bearer.value])
    const { grant_id: grantId, client_id: clientId, user_id: userId } = row
    if (row.refusal !== null || grantId === null || clientId === null || userId === null) {
      call.unauthenticated()
      return sendBearerRefusal(reply, config, bearerRefusal(row.refusal ?? 'unknown'), row)
    }
    noteCall(request, { grantId })
    if (!(await call.mayBeAnswered({ clientId, userId }))) return reply
    usage.used(grantId, row.used_at)
    request.log.info({ event: 'userinfo', client_id: clientId, user_id: userId })
    return reply.header('cache-control', 'no-store').send({ sub: row.subject })
  }

  app.get('/oauth2/userinfo', { config: { operation: getUserInfo } }, (request, reply) =>
    answer(request, reply, readBearer(context, request.headers.authorization, request.query)),
  )
  app.post('/oauth2/userinfo', { config: { operation: postUserInfo } }, (request, reply) =>
    answer(request, reply, readBearerOfForm(context, request)),
  )
}

/** The subject by which the partner knows the user. $1 the access token */
export const findSubject = statement(
  'find_subject',
  Type.Object({ ...CallerColumns, subject: Type.Union([Type.String(), Type.Null()]) }),
  `WITH ${callerOf}
   SELECT ${callerColumns}, (SELECT subject FROM caller) AS subject`,
)
