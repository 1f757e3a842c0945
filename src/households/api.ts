import type { onRequestHookHandler } from 'fastify'
import Type, { type TSchema } from 'typebox'
import type { Config } from '../config.ts'
import { checkId } from '../directory/values.ts'
import { Problem, sendNotFound } from '../http/api-edge.ts'
import type { ReadAnswer } from '../resource/authenticated-read.ts'

export const Household = Type.Object({
  id: Type.String({ description: 'Identifier of the household.' }),
  name: Type.Optional(Type.String({ description: 'Display name; absent where the household has none.' })),
})

export const security = [{ bearer: [] }]

/** The answers of an operation that can also end in these problems. */
export function answers(ok: TSchema, ...problems: number[]): Record<number, unknown> {
  const problem = { content: { 'application/problem+json': { schema: Problem } } }
  return { 200: ok, ...Object.fromEntries(problems.map((status) => [status, problem])) }
}

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

/** The id to look for; what cannot be one becomes empty, which no id is. */
export function findableId(id: string): string {
  return checkId(id) === null ? id : ''
}

/** The same answer for an unknown and an invisible household, byte for byte: a difference would tell which ids exist. */
export const householdNotFound: ReadAnswer = {
  kind: 'problem',
  outcome: 'not_found',
  send: (reply) => sendNotFound(reply, 'there is no such household, or this user may not see it'),
}
