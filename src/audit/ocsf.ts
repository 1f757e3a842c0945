import type { ChainedRecord } from './chain-hash.ts'

/** The version of the Open Cybersecurity Schema Framework that the export follows. */
const ocsfVersion = '1.3.0'

const classes = {
  account_change: 3001,
  authentication: 3002,
  authorize_session: 3003,
  entity_management: 3004,
  user_access_management: 3005,
  group_management: 3006,
} as const

type Activity = [keyof typeof classes, number]

/** The `activity_id` of events that the class does not name. */
const other = 99

/** Events whose class and activity do not follow from their name. */
const activities: Record<string, Activity> = {
  'user.created': ['account_change', 1],
  'user.enabled': ['account_change', 2],
  'user.password_changed': ['account_change', 3],
  'user.password_set': ['account_change', 4],
  'user.password_reset_requested': ['account_change', 4],
  'user.disabled': ['account_change', 5],
  'user.deleted': ['account_change', 6],
  'user.factor_added': ['account_change', 10],
  'user.factor_removed': ['account_change', 11],
  'user.factors_reset': ['account_change', 11],
  'login.succeeded': ['authentication', 1],
  'login.failed': ['authentication', 1],
  'login.ended': ['authentication', 2],
  'session.ended': ['authentication', 2],
  'operator.logged_in': ['authentication', 1],
  'operator.login_failed': ['authentication', 1],
  'operator.logged_out': ['authentication', 2],
  'developer.logged_in': ['authentication', 1],
  'developer.login_failed': ['authentication', 1],
  'developer.logged_out': ['authentication', 2],
  'developer.invited': ['entity_management', 1],
  'grant.created': ['user_access_management', 1],
  'grant.renewed': ['user_access_management', 1],
  'grant.revoked': ['user_access_management', 2],
  'grant.expired': ['user_access_management', 2],
  'connection.ended': ['user_access_management', 2],
  'token.revoked': ['user_access_management', 2],
  'token.replayed': ['authorize_session', other],
  'access.added': ['user_access_management', 1],
  'access.removed': ['user_access_management', 2],
  'role.created': ['group_management', 6],
  'role.deleted': ['group_management', 5],
  'role.updated': ['group_management', other],
  'user.moved_firm': ['group_management', 3],
  'audit.exported': ['entity_management', 2],
}

/** By the last part of an event's name. */
const entityActivities: Record<string, number> = {
  created: 1,
  added: 1,
  rotated: 3,
  updated: 3,
  suspended: 3,
  resumed: 3,
  changed: 3,
  imported: 3,
  import_refused: 3,
  keys_replaced: 3,
  secret_rotated: 3,
  secret_ended: 3,
  deleted: 4,
  removed: 4,
  revoked: 4,
  erased: 4,
}

function activityOf(event: string): Activity {
  const known = activities[event]
  if (known) return known
  const [subject, action = ''] = event.split('.')
  if (subject === 'user') return ['account_change', other]
  return ['entity_management', entityActivities[action] ?? other]
}

const failures = [
  'login.failed',
  'operator.login_failed',
  'developer.login_failed',
  'directory.import_refused',
]

/** An event of OCSF's category Identity and Access Management. `unmapped` has what is verified. */
export function toOcsf(record: ChainedRecord, unmapped: Record<string, unknown>): Record<string, unknown> {
  const [className, activity] = activityOf(record.event)
  const classUid = classes[className]
  const { address, user_agent: agent, request_id: request } = record
  return {
    activity_id: activity,
    category_uid: 3,
    class_uid: classUid,
    class_name: className,
    type_uid: classUid * 100 + activity,
    severity_id: record.event === 'token.replayed' || record.event === 'credential.leaked' ? 4 : 1,
    status_id: failures.includes(record.event) ? 2 : 1,
    time: Date.parse(record.at),
    message: record.event,
    metadata: {
      version: ocsfVersion,
      product: { name: 'Latchkey', vendor_name: 'Latchkey' },
      uid: record.id,
      event_code: record.event,
    },
    actor: { user: userOf(record.actor_id, record.actor_name), app_name: record.via },
    ...(address !== null && { src_endpoint: { ip: address } }),
    ...((agent !== null || request !== null) && {
      http_request: {
        ...(agent !== null && { user_agent: agent }),
        ...(request !== null && { uid: request }),
      },
    }),
    ...objectOf(className, record),
    unmapped: { ...unmapped, record },
  }
}

function userOf(uid: string | null, name: string | null = null) {
  return { ...(uid !== null && { uid }), ...(name !== null && { name }) }
}

/** What was changed, under the name that the class requires. */
function objectOf(
  className: keyof typeof classes,
  { target_kind, target_id, user_id, client_id }: ChainedRecord,
) {
  const resource = { type: target_kind, uid: target_id }
  switch (className) {
    case 'entity_management':
      return { entity: resource }
    case 'group_management':
      return { group: resource, user: userOf(user_id) }
    case 'user_access_management':
      return { user: userOf(user_id), resource, privileges: [client_id ?? target_kind] }
    case 'authentication':
      return { user: userOf(user_id), session: resource }
    default:
      return { user: userOf(user_id) }
  }
}
