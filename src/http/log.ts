import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Logger, pino } from 'pino'

const secretNames = [
  'password',
  'client_secret',
  'client_assertion',
  'code',
  'refresh_token',
  'access_token',
  'authorization',
  'cookie',
]

/**
 * JSON lines on standard error, several in one write: a write a line costs as much as all else that a short call does in
 * JavaScript. A kill may lose the last tenth of a second. Nothing logs the secret names; should something one day, their
 * values stay out.
 */
export function createLogger(level: string): Logger {
  const destination = pino.destination({ fd: 2, sync: true, minLength: 4096, periodicFlush: 100 })
  process.on('exit', () => destination.flushSync())
  return pino(
    {
      level,
      redact: {
        paths: secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
        censor: '[redacted]',
      },
      serializers: { err: describeError, error: describeError },
    },
    destination,
  )
}

/** Name, error code, message and stack. PostgreSQL's `detail`, `where` and parameters may quote data, and are left out. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) }
  // Not `code`: that is the name of a secret, and redacted.
  const code = 'code' in error ? { error_code: String(error.code) } : {}
  const cause = error.cause === undefined ? {} : { cause: describeError(error.cause) }
  return { type: error.name, message: error.message, ...code, stack: error.stack, ...cause }
}

type Facts = Record<string, string | null>
const facts = Symbol('facts')

/** What the line of this request says besides. Never a secret: the line is written as it is. */
export function logOnce(request: FastifyRequest, more: Facts): void {
  request.setDecorator(facts, more)
}

/** One line a request. Its fields are all chosen here, so nothing has to be looked for and taken out of them. */
export function accessLog(app: FastifyInstance): void {
  app.decorateRequest(facts, null)
  const log = app.log.child({}, { redact: [] })
  app.addHook('onResponse', (request, reply, done) => {
    log.info({
      request_id: request.id,
      method: request.method,
      // The route, not the address: addresses carry what partners and users send.
      route: request.routeOptions.url ?? null,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      ...request.getDecorator<Facts | null>(facts),
    })
    done()
  })
}
