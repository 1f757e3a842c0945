import type { onRequestHookHandler } from 'fastify'
import type { Config } from '../config.ts'
import { checkId } from '../directory/values.ts'
import { Problem, sendNotFound } from '../http/api-edge.ts'
import type { ReadAnswer } from '../resource/authenticated-read.ts'
import Type, { type TSchema } from '../typebox.ts'

export const Household = Type.Object({
  id: Type.String({ description: 'Identifier of the household.' }),
  name: Type.Optional(Type.String({ description: 'Display name. Absent if the household has none.' })),
})

/** An active account. Fields that the platform did not give are absent. */
export const Account = Type.Object({
  id: Type.String({ description: 'Identifier of the account.' }),
  household_id: Type.String({ description: 'Identifier of the household that the account belongs to.' }),
  name: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  number_masked: Type.Optional(Type.String()),
  custodian: Type.Optional(Type.String()),
  currency: Type.Optional(Type.String()),
  status: Type.Literal('active'),
  opened_on: Type.Optional(Type.String({ format: 'date' })),
})

export const security = [{ bearer: [] }]

/** The response schemas of an operation: 200 and these problems. */
export function answers(ok: TSchema, ...problems: number[]): Record<number, unknown> {
  const problem = { content: { 'application/problem+json': { schema: Problem } } }
  return { 200: ok, ...Object.fromEntries(problems.map((status) => [status, problem])) }
}

export const deprecationHeaders = {
  Deprecation: { type: 'string', description: 'Date from which the operation is deprecated (RFC 9745).' },
  Sunset: { type: 'string', description: 'Date on which the operation ends (RFC 8594).' },
}

/**
 * Adds the date of deprecation (RFC 9745) and the date of the end (RFC 8594) to each answer of a route. Adds nothing if the
 * operator has set no dates.
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

/** The id to look for. Text that cannot be an id becomes empty; no household has an empty id. */
export function findableId(id: string): string {
  return checkId(id) === null ? id : ''
}

/** The same answer, byte for byte, for unknown and invisible households. A difference would reveal which ids exist. */
export const householdNotFound: ReadAnswer = {
  kind: 'problem',
  outcome: 'not_found',
  send: (reply) => sendNotFound(reply, 'there is no such household, or this user may not see it'),
}
