import type { onRequestHookHandler } from 'fastify'
import type { Context } from '../context.ts'
import { checkId } from '../directory/values.ts'
import { sendNotFound, sendProblem } from '../http/api-edge.ts'
import { problem } from '../http/openapi/responses.ts'
import type { ShownHouseholds } from '../read-log/shown-households.ts'
import type { ReadAnswer } from '../resource/authenticated-read.ts'
import Type from '../typebox.ts'

const householdNotFoundDetail = 'there is no such household, or this user may not see it'

export const Household = Type.Object(
  {
    id: Type.String({
      description:
        'Identifier of the household: 1 to 64 characters of `A-Z a-z 0-9 . _ : -`. It never changes.',
    }),
    name: Type.Optional(
      Type.String({ description: 'Display name, free text. Absent if the household has none.' }),
    ),
  },
  { $id: 'Household', description: 'A household that the user may see.' },
)

export const Account = Type.Object(
  {
    id: Type.String({ description: 'Identifier of the account. It never changes.' }),
    household_id: Type.String({ description: 'The `id` of its household.' }),
    name: Type.Optional(Type.String({ description: 'Display name, free text.' })),
    type: Type.Optional(
      Type.String({ description: "Kind of the account in the platform's own words, such as `checking`." }),
    ),
    number_masked: Type.Optional(
      Type.String({ description: 'Account number with at most six digits; the rest is masked.' }),
    ),
    custodian: Type.Optional(Type.String({ description: 'Institution that keeps the account.' })),
    currency: Type.Optional(
      Type.String({ pattern: '^[A-Z]{3}$', description: 'Currency, three letters (ISO 4217).' }),
    ),
    status: Type.Unsafe<'active'>({
      type: 'string',
      enum: ['active'],
      description: 'Only active accounts are shown.',
    }),
    opened_on: Type.Optional(
      Type.String({ format: 'date', description: 'Day on which the account was opened.' }),
    ),
  },
  {
    $id: 'Account',
    description: 'An active account that the user may see. A field without a value is absent.',
  },
)

/** The id of a household in a path. */
export const HouseholdParams = Type.Object({
  household_id: Type.String({ description: 'The `id` of a household.', examples: ['hh-0003'] }),
})

/** The 404 of operations on one household. */
export const noSuchHousehold = problem(
  'There is no such household, or this user may not see it. The answer is the same in both cases.',
  [['not_found', householdNotFoundDetail]],
  { name: 'HouseholdNotFound' },
)

/**
 * Adds the date of deprecation (RFC 9745) and the date of the end (RFC 8594) to each answer of a route. From the end on, the
 * route answers 410, before it looks at the access token. Adds nothing if the operator has set no dates.
 */
export function deprecation(
  { config, now, sandbox }: Pick<Context, 'config' | 'now' | 'sandbox'>,
  successor: string,
): { onRequest?: onRequestHookHandler } {
  if (config.v1 === undefined) return {}
  const { deprecatedOn, sunsetOn } = config.v1
  const headers = {
    deprecation: `@${Math.floor(deprecatedOn.getTime() / 1000)}`,
    ...(sunsetOn && { sunset: sunsetOn.toUTCString() }),
  }
  return {
    onRequest: (request, reply, done) => {
      reply.headers(headers)
      const time = sandbox?.timeOf(request) ?? now()
      if (sunsetOn === undefined || time < sunsetOn) return done()
      const detail = `This operation ended on ${sunsetOn.toUTCString()}. Use GET ${successor} instead.`
      sendProblem(reply.header('link', `<${successor}>; rel="successor-version"`), 'gone', detail)
    },
  }
}

/** The id to look for. Text that cannot be an id becomes empty; no household has an empty id. */
export function findableId(id: string): string {
  return checkId(id) === null ? id : ''
}

/** For the read log: an answer about this household. */
export function oneHousehold(id: string): ShownHouseholds {
  return { json: id, ids: (only) => [only] }
}

/** The same answer, byte for byte, for unknown and invisible households. A difference would reveal which ids exist. */
export const householdNotFound: ReadAnswer = {
  kind: 'problem',
  outcome: 'not_found',
  send: (reply) => sendNotFound(reply, householdNotFoundDetail),
}
