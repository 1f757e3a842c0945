import { DatabaseUnavailable } from '../database/database.ts'
import { MissingSecret } from '../secrets/secret-keys.ts'
import { MalformedParameters } from './parameters.ts'

export type Fault = { status: number; kind: 'client' | 'unavailable' | 'internal'; explanation: string }

/**
 * Maps an error to an HTTP status and an explanation for the client. Only errors that Fastify or our parsers find in the
 * request are the client's fault. A database failure is 503, and every unknown error is 500.
 */
export function classify(error: unknown): Fault {
  if (error instanceof DatabaseUnavailable || error instanceof MissingSecret) {
    return {
      status: 503,
      kind: 'unavailable',
      explanation: 'The service is temporarily unavailable. Try again in a moment.',
    }
  }
  if (error instanceof MalformedParameters) return { status: 400, kind: 'client', explanation: error.message }
  if (error instanceof Error && 'statusCode' in error && 'code' in error && isFastifys(error.code)) {
    const status = Number(error.statusCode)
    if (status >= 400 && status < 500) return { status, kind: 'client', explanation: explain(status, error) }
    if (status === 503)
      return { status, kind: 'unavailable', explanation: 'The service is restarting. Try again in a moment.' }
  }
  return {
    status: 500,
    kind: 'internal',
    explanation: 'Internal server error. Report the request ID to the operator of this service.',
  }
}

function isFastifys(code: unknown): boolean {
  return typeof code === 'string' && code.startsWith('FST_')
}

function explain(status: number, error: Error): string {
  if (status === 413) return 'The request body is too large.'
  if (status === 415) {
    return 'Send the body as application/x-www-form-urlencoded or application/json, in UTF-8 and not compressed.'
  }
  // The validator names hidden fields of our forms, which mean nothing to a user.
  if ('validation' in error) return 'A required value is missing, or a value is invalid.'
  return `${error.message}.` // Fastify's messages have no full stop
}
