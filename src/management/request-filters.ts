import type { RequestFilter } from '../request-log/requests.ts'
import Type, { type Static } from '../typebox.ts'
import type { Answer } from './answers.ts'
import { rangeOf } from './range.ts'

const moment = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }))

/** The filters that the lists of the admin and the developer API share. */
export const requestFilters = {
  request_id: Type.Optional(
    Type.String({ maxLength: 128, description: 'All calls with this id, which callers choose.' }),
  ),
  status: Type.Optional(
    Type.String({
      pattern: '^([1-5]\\d\\d|[1-5]xx|refused)$',
      description: 'A status such as `401`, a class such as `4xx`, or `refused` for all from 400 on.',
    }),
  ),
  route: Type.Optional(
    Type.String({ maxLength: 200, description: 'Only calls of this route, as in an entry.' }),
  ),
  since: moment('Only calls at or after this instant.'),
  until: moment('Only calls before this instant.'),
}

const Filters = Type.Object(requestFilters)

/** What the shared filters of a query select. `problem`: an instant does not exist. */
export function requestFilterOf(query: Static<typeof Filters>): RequestFilter | { problem: Answer } {
  const range = rangeOf(query)
  if ('problem' in range) return range
  const { since, until } = range
  return {
    requestId: query.request_id,
    status: query.status,
    route: query.route,
    since: since === undefined ? undefined : new Date(since),
    until: until === undefined ? undefined : new Date(until),
  }
}
