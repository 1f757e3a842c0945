import { exampleCursors } from '../../http/openapi/examples.ts'
import { conditionalHeaders } from '../../http/openapi/headers.ts'
import { json, type Operation } from '../../http/openapi/operation.ts'
import { apiProblems, problem } from '../../http/openapi/responses.ts'
import { notModified } from '../../resource/send-page.ts'
import Type, { type TSchema } from '../../typebox.ts'
import { Account, Household, noSuchHousehold } from '../api.ts'
import { exampleAccounts } from '../examples.ts'
import type { Resource } from './sync-cursor.ts'
import { syncExpiredDetail } from './sync-request.ts'

const SyncSummary = Type.Object(
  {
    count: Type.Integer({ description: 'Entries of `data`, over all pages.' }),
    removed: Type.Optional(
      Type.Integer({ description: 'Ids in `removed`, over all pages. Absent if there are none.' }),
    ),
    sha256: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description:
        'SHA-256 of the ids in `data` in the order sent, each followed by a line feed; hexadecimal.',
    }),
    as_of: Type.String({
      description: 'An RFC 3339 instant. Keep it as text, and send it as `updated_since` next time.',
    }),
  },
  { $id: 'SyncSummary', description: 'What the whole sync has read. It is on the last page only.' },
)

/** A page of a sync. `what` names the rows in it, `reasons` are those for which one of them is removed. */
const pageOf = (
  $id: string,
  row: TSchema,
  { what, reasons }: { what: string; reasons: Record<string, string> },
) =>
  Type.Object(
    {
      data: Type.Array(row, { description: `The ${what} that are visible now.` }),
      removed: Type.Optional(
        Type.Array(Type.String(), {
          description:
            `With \`updated_since\`: ids of ${what} that are no longer visible. Delete your copies. ` +
            'Some may have become visible only after that instant.',
        }),
      ),
      removed_reasons: Type.Optional(
        Type.Unsafe<Record<string, string>>({
          type: 'object',
          additionalProperties: { type: 'string', enum: Object.keys(reasons) },
          description: `Why each id in \`removed\` is no longer visible. ${Object.entries(reasons)
            .map(([reason, meaning]) => `\`${reason}\`: ${meaning}.`)
            .join(' ')}`,
        }),
      ),
      next_cursor: Type.Unsafe<string | null>({
        type: ['string', 'null'],
        description: 'Send it as `cursor` to read the next page. Null on the last page.',
      }),
      receipt: Type.Optional(SyncSummary),
    },
    { $id, description: `A page of a sync of ${what}.` },
  )
const access_ended = 'the user can no longer see it'
const HouseholdPage = pageOf('HouseholdPage', Household, {
  what: 'households',
  reasons: { access_ended, household_deleted: 'it no longer exists' },
})
const AccountPage = pageOf('AccountPage', Account, {
  what: 'accounts',
  reasons: {
    access_ended,
    account_closed: 'it is no longer active',
    account_deleted: 'it no longer exists',
  },
})

const howToSync =
  'Read all pages first: send `next_cursor` as `cursor` until it is null. The last page has a `receipt`. Keep its `as_of`, and send it as `updated_since` next time to read only changes.'

const syncExpired = (name: string, resource: Resource) =>
  problem(
    `The server does not know all changes since \`updated_since\`. Read all ${resource} again, without \`updated_since\` and \`cursor\`.`,
    [['sync_expired', syncExpiredDetail(resource)]],
    { name },
  )

const syncHouseholds: Operation = {
  operationId: 'syncHouseholds',
  tag: 'Households',
  summary: 'Read all households that the user may see, or what has changed of them',
  description: `Households in the order of their \`id\`; with \`updated_since\` in the order of the changes. ${howToSync}`,
  authentication: 'accessToken',
  headers: ['If-None-Match'],
  responses: {
    ...apiProblems,
    200: json(HouseholdPage, 'A page of the sync.', {
      headers: conditionalHeaders,
      examples: {
        first_page: {
          summary: 'A page that another page follows',
          value: {
            data: [
              { id: 'hh-0269', name: 'Calloway Family Trust' },
              { id: 'hh-0287', name: 'Devereux Family Trust' },
            ],
            next_cursor: exampleCursors.households,
          },
        },
        last_page: {
          summary: 'The last page',
          value: {
            data: [{ id: 'hh-0269', name: 'Calloway Family Trust' }],
            next_cursor: null,
            receipt: {
              count: 1,
              sha256: '7bb6feb711bb538515f795bbffbf0a51716f2194e08b1d85029bf736d89d144c',
              as_of: '2026-11-21T03:00:00.124518Z',
            },
          },
        },
        changes: {
          summary: 'What has changed since an earlier sync',
          value: {
            data: [{ id: 'hh-0003', name: 'Long Meadow Estate' }],
            removed: ['hh-0005'],
            removed_reasons: { 'hh-0005': 'access_ended' },
            next_cursor: null,
            receipt: {
              count: 1,
              removed: 1,
              sha256: 'b326a69c8b466671b8963503c63dacc7f016b21607384a56cc4e956fe6d3ae2e',
              as_of: '2026-11-22T03:00:00.561300Z',
            },
          },
        },
      },
    }),
    304: notModified,
    410: syncExpired('HouseholdsSyncExpired', 'households'),
  },
}

const syncAccounts: Operation = {
  operationId: 'syncAccounts',
  tag: 'Accounts',
  summary: 'Read all active accounts that the user may see, or what has changed of them',
  description: `The accounts of all households, in the order of \`household_id\` and \`id\`; with \`updated_since\` in the order of the changes. ${howToSync}`,
  authentication: 'accessToken',
  headers: ['If-None-Match'],
  responses: {
    ...apiProblems,
    200: json(AccountPage, 'A page of the sync.', {
      headers: conditionalHeaders,
      examples: {
        first_page: {
          summary: 'A page that another page follows',
          value: {
            data: [exampleAccounts['ac-0001-1'], exampleAccounts['ac-0003-1']],
            next_cursor: exampleCursors.accounts,
          },
        },
      },
    }),
    304: notModified,
    410: syncExpired('AccountsSyncExpired', 'accounts'),
  },
}

export const syncs = { households: syncHouseholds, accounts: syncAccounts }

export const getHousehold: Operation = {
  operationId: 'getHousehold',
  tag: 'Households',
  summary: 'Get one household',
  description: 'One household that the user may see.',
  authentication: 'accessToken',
  headers: ['If-None-Match'],
  responses: {
    ...apiProblems,
    200: json(Household, 'The household.', {
      headers: conditionalHeaders,
      examples: {
        household: { summary: 'A household', value: { id: 'hh-0003', name: 'Long_Meadow Estate' } },
      },
    }),
    304: notModified,
    404: noSuchHousehold,
  },
}
