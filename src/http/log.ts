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
  /** Writes the buffered lines. Gives up after a limited time. */
  close(): Promise<void>
}

/**
 * Writes JSON lines to standard error, several in one write. A process that is killed may lose the lines of its last
 * 100 milliseconds.
 */
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
      // No log line has these fields today. This protects the secrets if a field is added by mistake.
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

/** Name, error code, message and stack. Not PostgreSQL's `detail`, `where` and parameters, because they may quote data. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) }
  // Not `code`: an authorization code has this name, so the field is redacted.
  const code = 'code' in error ? { error_code: String(error.code) } : {}
  const cause = error.cause === undefined ? {} : { cause: describeError(error.cause) }
  return { type: error.name, message: error.message, ...code, stack: error.stack, ...cause }
}

type Facts = Record<string, string | null>
const facts = Symbol('facts')

/** Adds fields to the log line of this request. They must not contain a secret, because that line is not redacted. */
export function logOnce(request: FastifyRequest, more: Facts): void {
  request.setDecorator(facts, more)
}

/** What `logOnce` recorded about this request. */
export function loggedFacts(request: FastifyRequest): Facts | null {
  return request.getDecorator<Facts | null>(facts)
}

/** Writes one line for each request. It has only the fields chosen here, so it needs no redaction. */
export function accessLog(app: FastifyInstance): void {
  app.decorateRequest(facts, null)
  const log = app.log.child({}, { redact: [] })
  app.addHook('onResponse', (request, reply, done) => {
    log.info({
      request_id: request.id,
      method: request.method,
      // The route, not the address, because the address contains values that partners and users send.
      route: request.routeOptions.url ?? null,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      ...loggedFacts(request),
    })
    done()
  })
}
