import { type LimitName, limitNames } from '../limit-settings.ts'
import { jsonResponse } from '../management/operation.ts'
import { closed } from '../management/page.ts'
import { count, instant, nullableInstant, nullableText } from '../management/schemas.ts'
import { type RangeName, ranges } from '../panel/periods.ts'
import Type from '../typebox.ts'
import { describeRoute } from './developer-edge.ts'
import { countedDays } from './use.ts'

const tag = 'Use'

const Period = Type.Object(
  {
    at: instant('When the period begins.'),
    calls: count('Calls of the API and of the token endpoints that proved to be of your application.'),
    refused: count('Those answered with 4xx.'),
    failed: count('Those answered with 5xx.'),
    refresh_refused: count('Of the refused: refreshes.'),
    p99_ms: Type.Unsafe<number | null>({
      type: ['number', 'null'],
      description: 'Milliseconds that 99 of 100 calls did not exceed. Null: there were no calls.',
    }),
  },
  { $id: 'Period', description: 'The calls of an hour, of six hours, or of a day.' },
)

const Use = Type.Object(
  {
    period_seconds: Type.Integer({ description: 'How long a period is.' }),
    data: Type.Array(Period, {
      description: 'The periods until now, oldest first, also those without calls.',
    }),
  },
  { $id: 'Use', description: 'Calls over time.' },
)

const limit = (name: LimitName) => [
  name,
  Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: `${name.replaceAll('_', ' ')}. Null: no limit.`,
  }),
]

const Limits = Type.Unsafe<Record<LimitName, number | null>>(
  Type.Object(Object.fromEntries(limitNames.map(limit)), {
    $id: 'Limits',
    description: 'The limits of your application.',
  }),
)

const DeprecatedCalls = Type.Object(
  {
    operation: Type.String({ description: 'The operation, as in the description of the API.' }),
    calls: count('How often you called it.'),
    refused: count('Of these, how many were answered with 4xx.'),
    first_hour: instant('The hour of the first of these calls.'),
    last_hour: instant('The hour of the last one.'),
    deprecated_on: nullableInstant('Since when it is deprecated. Null: the operator has set no date.'),
    sunset_on: nullableInstant('When it ends. Null: the operator has set no date.'),
    successor: nullableText('The address to use instead.'),
  },
  { $id: 'DeprecatedCalls', description: 'Calls of an operation that is going to end.' },
)

export const useRoute = describeRoute({
  method: 'GET',
  url: '/use',
  role: 'viewer',
  isExpensive: true,
  schema: {
    querystring: closed({
      range: Type.Optional(
        Type.Unsafe<RangeName>({
          type: 'string',
          enum: Object.keys(ranges),
          description: 'The last 24 hours by hour (default), 7 days by six hours, or 30 days by day.',
        }),
      ),
    }),
  },
  operation: {
    operationId: 'getUse',
    tag,
    summary: 'Show calls over time',
    description: 'The numbers of the charts on the developer pages. A call is counted within five seconds.',
    responses: { 200: jsonResponse(Use, 'The calls.') },
  },
})

export const limitsRoute = describeRoute({
  method: 'GET',
  url: '/limits',
  role: 'viewer',
  operation: {
    operationId: 'getLimits',
    tag,
    summary: 'Show the limits',
    description: 'What the operator has set for your application, or else for all.',
    responses: { 200: jsonResponse(Limits, 'The limits.') },
  },
})

export const deprecatedCallsRoute = describeRoute({
  method: 'GET',
  url: '/deprecated-calls',
  role: 'viewer',
  isExpensive: true,
  operation: {
    operationId: 'listDeprecatedCalls',
    tag,
    summary: 'List deprecated operations that you still call',
    description: `Counted over the last ${countedDays} days. Empty: you are ready for their end.`,
    responses: {
      200: jsonResponse(
        Type.Object(
          { data: Type.Array(DeprecatedCalls, { description: 'The latest called first.' }) },
          { $id: 'DeprecatedCallList', description: 'Deprecated operations that you call.' },
        ),
        'The operations.',
      ),
    },
  },
})
