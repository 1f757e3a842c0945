import { instant, nullableInstant, oneOf } from '../management/schemas.ts'
import Type, { type TObject } from '../typebox.ts'

/** Who ended a grant. `expiry`: no one, the consent has expired. */
const grantEnders = ['user', 'operator', 'expiry'] as const

/** Why a grant ended. */
const grantEndReasons = ['disconnected', 'revoked', 'firm_changed', 'user_deleted', 'expired'] as const

/**
 * Why a connection ended, in the words of the errors that its tokens get (src/errors/endings.ts). `expired` was not refreshed.
 */
const connectionEndCauses = [
  'ended_by_partner',
  'ended_by_code_replay',
  'ended_by_code_misuse',
  'ended_by_refresh_replay',
  'ended_by_leak',
  'ended_by_operator',
  'user_disabled',
  'expired',
] as const

/** Why a household is no longer visible (src/households/v2/removed-reasons.sql.ts). */
const householdRemovedReasons = ['access_ended', 'household_deleted'] as const

/** Ids that a `household.removed` names at most. */
export const mostRemovedIds = 100

const ofGrant = {
  grant_id: Type.String({
    description: 'Identifies the consent. Events of one grant arrive in their order.',
  }),
  subject: Type.String({ description: 'The `sub` of the user, as in the `id_token`.' }),
}

const since = Type.String({
  description: 'An RFC 3339 instant. Send the `as_of` of your last `receipt` instead, if you have one.',
})
const url = Type.String({ format: 'uri', description: 'The call that reads what has changed since then.' })

/** What an event of one type says: `data` of its deliveries. */
export type EventDoc = {
  type: string
  /** When it is sent, in one sentence. */
  summary: string
  /** What the partner should do. */
  advice: string
  data: TObject
  /** An example of `data`. */
  example: Record<string, unknown>
}

const exampleGrant = { grant_id: '4711', subject: 'q0rNzv2pXW0ZC1m3s9yKfA' }
const exampleSync = {
  since: '2026-11-21T03:00:00.124518Z',
  url: 'https://api.example.com/api/v2/households?updated_since=2026-11-21T03%3A00%3A00.124518Z',
}

/** All events, in the order in which the documentation lists them. */
export const eventDocs = [
  {
    type: 'grant.created',
    summary: 'A user has connected your application.',
    advice: 'Nothing is needed: the code of the callback tells you too.',
    data: Type.Object({
      ...ofGrant,
      created_at: instant('When the user connected.'),
      expires_at: nullableInstant('When the consent expires. Null: it has no end.'),
    }),
    example: { ...exampleGrant, created_at: '2026-11-22T09:30:00.412Z', expires_at: null },
  },
  {
    type: 'grant.revoked',
    summary: 'The consent of a user has ended, and with it all connections and tokens of this grant.',
    advice: 'Delete its tokens, stop reading for this user, and say so in your application.',
    data: Type.Object({
      ...ofGrant,
      by: oneOf(grantEnders, 'Who ended it.'),
      reason: oneOf(
        grantEndReasons,
        'Why: the user disconnected, the operator revoked it, the user moved to another firm, the user was deleted, or the consent expired.',
      ),
      ended_at: instant('When it ended.'),
    }),
    example: { ...exampleGrant, by: 'user', reason: 'disconnected', ended_at: '2026-11-22T10:04:11.028Z' },
  },
  {
    type: 'grant.expiring',
    summary:
      'The consent of a user expires in a week. It is not sent for consents that are valid for a week or less.',
    advice: 'Ask the user to renew it on the page Connected apps, or to connect again before its end.',
    data: Type.Object({ ...ofGrant, expires_at: instant('When the consent expires.') }),
    example: { ...exampleGrant, expires_at: '2026-11-29T09:30:00.412Z' },
  },
  {
    type: 'grant.resync_required',
    summary:
      'The role of the user was changed, so the user sees other households. Changes since then cannot be read.',
    advice:
      'Read all households and accounts again, without `updated_since`. Until then, a sync answers 410 `sync_expired`.',
    data: Type.Object({
      ...ofGrant,
      since: Type.String({ description: 'An RFC 3339 instant: since when the role is what it is now.' }),
      url: Type.String({ format: 'uri', description: 'The call that reads all households.' }),
    }),
    example: {
      ...exampleGrant,
      since: exampleSync.since,
      url: 'https://api.example.com/api/v2/households',
    },
  },
  {
    type: 'connection.ended',
    summary: 'One connection of a grant has ended before the grant. Other connections of the grant go on.',
    advice:
      'Refresh the tokens that you have for this user: those of the ended connection are refused with the same reason. Delete them, unless the cause is `user_disabled`: see [disabled users](#disabled-users).',
    data: Type.Object({
      ...ofGrant,
      connection_id: Type.String({ description: 'Identifies the connection that one code started.' }),
      connected_at: instant('When the code of the connection was issued.'),
      cause: oneOf(
        connectionEndCauses,
        'Why: the reason that the token endpoint gives. `expired`: it was not refreshed for 30 days. `user_disabled`: it works again if the operator enables the user, without an event.',
      ),
      ended_at: instant('When it ended.'),
    }),
    example: {
      ...exampleGrant,
      connection_id: '90210',
      connected_at: '2026-11-20T08:00:00.001Z',
      cause: 'ended_by_refresh_replay',
      ended_at: '2026-11-22T10:04:11.028Z',
    },
  },
  {
    type: 'household.changed',
    summary:
      'Households that the user sees have come or changed. It is sent at most once in ten seconds for each grant.',
    advice: 'Read the changes with the sync. It names the households.',
    data: Type.Object({ ...ofGrant, since, url }),
    example: { ...exampleGrant, ...exampleSync },
  },
  {
    type: 'household.removed',
    summary: 'The user no longer sees households that your application may have read.',
    advice: 'Delete your copies of these households. If `has_more` is true, read the changes with the sync.',
    data: Type.Object({
      ...ofGrant,
      removed: Type.Array(
        Type.Object({
          id: Type.String({ description: 'The id of the household.' }),
          reason: oneOf(
            householdRemovedReasons,
            '`access_ended`: the user lost access to it. `household_deleted`: it no longer exists.',
          ),
        }),
        {
          maxItems: mostRemovedIds,
          description: `The households, in the order of their ids, at most ${mostRemovedIds}.`,
        },
      ),
      has_more: Type.Boolean({
        description: 'True: this event does not name all removed households. Read the changes with the sync.',
      }),
      since,
      url,
    }),
    example: {
      ...exampleGrant,
      removed: [{ id: 'hh-0005', reason: 'access_ended' }],
      has_more: false,
      ...exampleSync,
    },
  },
  {
    type: 'partner.secret_rotated',
    summary: 'The client secrets of your application have changed.',
    advice: 'If you did not change them, contact the operator.',
    data: Type.Object({
      client_id: Type.String({ description: 'Your application.' }),
      reason: oneOf(
        ['rotated', 'removed', 'leaked'] as const,
        '`rotated`: a new secret was added. `removed`: an old secret was ended. `leaked`: a secret was found in a public place and no longer works.',
      ),
      live_secrets: Type.Integer({ description: 'How many secrets work now.' }),
    }),
    example: { client_id: 'lk-ledger', reason: 'rotated', live_secrets: 2 },
  },
  {
    type: 'webhook.test',
    summary: 'You have requested a test event.',
    advice: 'Nothing is needed.',
    data: Type.Object({ message: Type.String({ description: 'A text for people.' }) }),
    example: { message: 'This is a test event. Nothing has happened.' },
  },
] as const satisfies readonly EventDoc[]

export type EventType = (typeof eventDocs)[number]['type']

/** The types that an endpoint can subscribe to, and `webhook.test`. */
export const eventTypes: readonly EventType[] = eventDocs.map(({ type }) => type)
