import { DatabaseUnavailable } from '../database/database.ts'
import { MalformedParameters } from './parameters.ts'

export type Fault = { status: number; kind: 'client' | 'unavailable' | 'internal'; explanation: string }

/**
 * What an error means for the wire. Only what Fastify or our own reader of parameters found wrong with the request is
 * the client's; a database failure is 503, and everything unknown is a fault of ours.
 */
export function classify(error: unknown): Fault {
  if (error instanceof DatabaseUnavailable) {
    return {
      status: 503,
      kind: 'unavailable',
      explanation: 'the service cannot answer right now; try again in a moment',
    }
  }
  if (error instanceof MalformedParameters) return { status: 400, kind: 'client', explanation: error.message }
  if (error instanceof Error && 'statusCode' in error && 'code' in error && isFastifys(error.code)) {
    const status = Number(error.statusCode)
    if (status >= 400 && status < 500) return { status, kind: 'client', explanation: explain(status, error) }
    if (status === 503) return { status, kind: 'unavailable', explanation: 'the service is restarting' }
  }
  return { status: 500, kind: 'internal', explanation: 'something failed on our side' }
}

function isFastifys(code: unknown): boolean {
  return typeof code === 'string' && code.startsWith('FST_')
}

function explain(status: number, error: Error): string {
  if (status === 413) return 'the request body is too large'
  if (status === 415) {
    return 'send the body as application/x-www-form-urlencoded or application/json, in UTF-8 and not compressed'
  }
  // The validator's own words name the fields of our forms, which are nothing to a person.
  if ('validation' in error) return 'a part of it is missing or is not what it should be'
  return error.message
}
