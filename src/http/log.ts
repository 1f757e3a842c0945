import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Logger, pino } from 'pino'
import type { LogLevel } from '../config.ts'
import { LogStream, standardErrorSink } from './log-stream.ts'

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

export type Log = {
  logger: Logger
  /** Writes the lines that wait, for a bounded time. */
  close(): Promise<void>
}

/** JSON lines on standard error, several in one write: a process that is killed may lose those of the last tenth of a second. */
export function openLog(level: LogLevel): Log {
  const stream = new LogStream(standardErrorSink(), (lines) =>
    logger.error(
      { event: 'log', outcome: 'dropped', lines },
      'log lines could not be written and were dropped',
    ),
  )
  process.on('exit', () => stream.flushSync())
  const logger = pino(
    {
      level,
      // No line has a field of these names today. This is for the one that is added by mistake.
      redact: {
        paths: secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
        censor: '[redacted]',
      },
      serializers: { err: describeError, error: describeError },
    },
    stream,
  )
  return { logger, close: () => stream.close() }
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
