import Type, { type Static } from './typebox.ts'

const limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 }))

/** The limits of a partner, as they are stored. Absent: the default of the deployment, or no limit. */
export const LimitSettings = Type.Object(
  {
    requests_per_minute: limit,
    requests_per_user_per_minute: limit,
    token_requests_per_minute: limit,
    refreshes_per_connection_per_minute: limit,
    /** Expensive reads that run or wait at the same time. */
    expensive_reads: limit,
  },
  { additionalProperties: false },
)
export type LimitSettings = Static<typeof LimitSettings>
/** Null removes a limit. */
export type LimitChanges = { [Name in LimitName]?: number | null }
export type LimitName = keyof LimitSettings

export const limitNames = [
  'requests_per_minute',
  'requests_per_user_per_minute',
  'token_requests_per_minute',
  'refreshes_per_connection_per_minute',
  'expensive_reads',
] as const satisfies LimitName[]

/** @throws {Error} that says what a limit must be */
export function parseLimit(text: string): number {
  const limit = Number(text)
  if (!/^\d{1,7}$/.test(text) || limit < 1 || limit > 1_000_000)
    throw new Error(`must be a number from 1 to 1000000, not "${text}"`)
  return limit
}

/** What applies to a partner: its own limits replace all of the deployment. */
export function effectiveLimits(own: LimitSettings, deployment: LimitSettings): LimitSettings {
  return Object.keys(own).length > 0 ? own : deployment
}
