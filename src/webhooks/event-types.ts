/** The events that an endpoint can get. Each endpoint also gets `webhook.test`. */
export const eventTypes = [
  'grant.created',
  'grant.revoked',
  'grant.expiring',
  'grant.resync_required',
  'connection.ended',
  'household.changed',
  'household.removed',
  'partner.secret_rotated',
] as const

export type EventType = (typeof eventTypes)[number]
