import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { allowOnly, sendInvalidParameters } from '../http/api-edge.ts'
import { logOnce } from '../http/log.ts'
import { bearerRefusal } from '../http/refusals.ts'
import { sendBearerRefusal } from '../resource/bearer.ts'
import { parseAccessToken } from '../secrets/connection-token.ts'
import { sha256 } from '../secrets/token-format.ts'
import Type, { type Static } from '../typebox.ts'
import { advanceClock } from './clock.sql.ts'
import { translateBearer, translateTokens } from './clock.ts'
import { apiFailures, lateFailures, tokenFailures } from './scenarios.ts'

const ClockBody = Type.Object({
  advance_seconds: Type.Integer({ minimum: 1, maximum: 366 * 24 * 3600 }),
})

/** Serves `POST {base_url}sandbox/clock`, if the server has a sandbox. */
export function sandboxRoutes(app: FastifyInstance, context: Context): void {
  const { config, database, keys, sandbox } = context
  if (!sandbox) return
  allowOnly(app, ['POST'], '/sandbox/clock')
  app.post<{ Body: Static<typeof ClockBody> }>(
    '/sandbox/clock',
    { schema: { body: ClockBody } },
    async (request, reply) => {
      const token = /^bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
      if (token === undefined) return sendBearerRefusal(reply, config, bearerRefusal('missing'))
      // The token may have expired, and may have been revoked: otherwise a clock that moved past the expiry would stand still.
      const parsed = parseAccessToken(token, config.environment, keys)
      if (parsed.kind === 'refused') {
        const refusal =
          'explanation' in parsed
            ? bearerRefusal(parsed.reason, parsed.explanation)
            : bearerRefusal(parsed.reason)
        return sendBearerRefusal(reply, config, refusal)
      }
      await sandbox.look()
      const locatorHash = sha256(parsed.token.locator)
      const moved = sandbox.isLoaded
        ? await database.one(advanceClock, [locatorHash, request.body.advance_seconds])
        : { live: true, seconds_ahead: null }
      if (!moved.live) return sendBearerRefusal(reply, config, bearerRefusal('unknown'))
      if (moved.seconds_ahead === null) {
        const detail = sandbox.isLoaded
          ? 'would move the clock more than ten years ahead'
          : 'needs the data of `latchkey sandbox load`, which the operator has not loaded'
        return sendInvalidParameters(reply, [{ parameter: 'advance_seconds', detail }])
      }
      logOnce(request, { event: 'sandbox', outcome: 'clock_moved' })
      await sandbox.readClock(request, locatorHash)
      return reply
        .header('cache-control', 'no-store')
        .send({ seconds_ahead: moved.seconds_ahead, now: sandbox.timeOf(request).toISOString() })
    },
  )
}

/** Adds clocks and failures to routes that take an access token, if the server has a sandbox. Call it before the routes. */
export function sandboxOfApi(app: FastifyInstance, context: Context): void {
  if (!context.sandbox) return
  translateBearer(app, context, context.sandbox)
  apiFailures(app, context)
  lateFailures(app, context.sandbox)
}

/** The same for the token endpoints. */
export function sandboxOfTokens(app: FastifyInstance, context: Context): void {
  if (!context.sandbox) return
  translateTokens(app, context, context.sandbox)
  tokenFailures(app, context)
  lateFailures(app, context.sandbox)
}
