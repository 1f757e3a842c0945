import type { onRequestHookHandler } from 'fastify'
import type { Config } from '../config.ts'

export const deprecationHeaders = {
  Deprecation: { type: 'string', description: 'Since when, or from when on, it is deprecated (RFC 9745).' },
  Sunset: { type: 'string', description: 'When it will end (RFC 8594).' },
}

/**
 * Since when an operation is deprecated (RFC 9745) and when it is to end (RFC 8594), in each answer of its route. Nothing
 * where the operator has set no date.
 */
export function deprecation(dates: Config['v1']): { onRequest?: onRequestHookHandler } {
  if (dates === undefined) return {}
  const { deprecatedOn, sunsetOn } = dates
  const headers = {
    deprecation: `@${Math.floor(deprecatedOn.getTime() / 1000)}`,
    ...(sunsetOn && { sunset: sunsetOn.toUTCString() }),
  }
  return {
    onRequest: (_request, reply, done) => {
      reply.headers(headers)
      done()
    },
  }
}
