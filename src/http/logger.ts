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

/** JSON lines on standard error. Nothing logs these names; should something one day, their values stay out. */
export function createLogger(level: string): Logger {
  return pino(
    {
      level,
      redact: {
        paths: secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
        censor: '[redacted]',
      },
      serializers: { err: describeError, error: describeError },
    },
    // Lines that come while one is being written go out together. At exit the rest is written; a kill may lose the last
    // few milliseconds, and a reader that stalls costs memory up to this many bytes, not the requests.
    pino.destination({ fd: 2, sync: false, maxLength: 64 * 1024 * 1024 }),
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
