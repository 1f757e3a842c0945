import { conditionalHeaders, everyResponse } from '../http/openapi/headers.ts'
import { json, type Operation, withHeaders } from '../http/openapi/operation.ts'
import { apiProblems, problem } from '../http/openapi/responses.ts'
import { notModified } from '../resource/send-page.ts'
import Type from '../typebox.ts'
import { Account, Household, noSuchHousehold } from './api.ts'
import { exampleAccounts } from './examples.ts'
import { longestPattern } from './name-pattern.ts'
import { PageQuery } from './page.ts'

export const HouseholdsQuery = Type.Object({
  ...PageQuery,
  name_pattern: Type.Optional(
    Type.String({
      maxLength: longestPattern,
      description:
        'Text that the name must contain, ignoring case. `%`, `_` and `\\` are ordinary characters. If it is empty, all visible households are returned.',
      examples: ['family trust'],
    }),
  ),
})
export const AccountsQuery = Type.Object(PageQuery)

const dates = ['Deprecation', 'Sunset'] as const
const pagesDescription =
  'Follow `rel="next"` of the `Link` header until there is none: then entries that stay are neither skipped nor repeated while others come and go.'

const ended = problem(
  'This version of the operation has ended, on the date of its `Sunset` header. Use `syncHouseholds`.',
  [
    [
      'gone',
      'This operation ended on Sun, 01 Nov 2026 00:00:00 GMT. Use GET {base_url}api/v2/households instead.',
    ],
  ],
  { name: 'Gone', headers: [...everyResponse, 'Link', ...dates] },
)

export const listHouseholds: Operation = {
  operationId: 'listHouseholds',
  tag: 'Households',
  summary: 'List the households that the user may see',
  description: `Households in the order of their \`id\` (byte order). ${pagesDescription} Use \`syncHouseholds\` in new applications.`,
  deprecated: true,
  authentication: 'accessToken',
  headers: ['If-None-Match'],
  responses: {
    ...withHeaders({ ...apiProblems, 304: notModified }, dates),
    410: ended,
    200: json(Type.Array(Household), 'A page of households.', {
      headers: [...conditionalHeaders, 'Link', ...dates],
      examples: {
        first_page: {
          summary: 'The first two households with this text in their name',
          value: [
            { id: 'hh-0269', name: 'Calloway Family Trust' },
            { id: 'hh-0287', name: 'Devereux Family Trust' },
          ],
        },
      },
    }),
  },
}

export const listAccountsOfHousehold: Operation = {
  operationId: 'listAccountsOfHousehold',
  tag: 'Accounts',
  summary: 'List the active accounts of a household',
  description: `The active accounts of one household that the user may see, in the order of their \`id\` (byte order). ${pagesDescription}`,
  authentication: 'accessToken',
  headers: ['If-None-Match'],
  responses: {
    ...apiProblems,
    200: json(Type.Array(Account), 'A page of accounts.', {
      headers: [...conditionalHeaders, 'Link'],
      examples: {
        first_page: {
          summary: 'The first two accounts of hh-0003',
          value: [exampleAccounts['ac-0003-1'], exampleAccounts['ac-0003-2']],
        },
      },
    }),
    304: notModified,
    404: noSuchHousehold,
  },
}
