import { auditRow } from '../audit/audit-row.sql.ts'
import { statement } from '../database/database.ts'
import { isLiveGrant } from '../grants/ended.sql.ts'
import { aboutParties } from '../grants/grants.sql.ts'
import Type, { type Static } from '../typebox.ts'
import { settingsOf } from './partners.sql.ts'

const Consequences = Type.Object({
  client_id: Type.String(),
  name: Type.String(),
  /** Users who are connected now, and would no longer be. */
  connected_users: Type.Integer(),
  /** Their connections, each with its tokens. */
  connections: Type.Integer(),
})
export type Consequences = Static<typeof Consequences>

const liveGrants = `SELECT g.id, g.user_id, g.client_id FROM grants g WHERE g.client_id = $1 AND ${isLiveGrant('g')}`

/** What a deletion of the partner would end. $1 client_id. No row: no such partner. */
export const findConsequences = statement(
  'find_consequences_of_deletion',
  Consequences,
  `WITH live AS (${liveGrants})
   SELECT client_id, name, (SELECT count(*)::int FROM live) AS connected_users,
          (SELECT count(*)::int FROM live JOIN connections c ON c.grant_id = live.id WHERE c.revoked_at IS NULL)
            AS connections
     FROM partners WHERE client_id = $1`,
)

/** From here to the end of the transaction, no user can connect the partner. $1 client_id. No row: no such partner. */
export const lockPartner = statement(
  'lock_partner',
  Type.Object({ client_id: Type.String() }),
  'SELECT client_id FROM partners WHERE client_id = $1 FOR UPDATE',
)

/**
 * Locks all connections of a partner. What ends a connection locks its row before its grant (docs/adr/0044). A deletion that
 * locked the grants first could deadlock with it. $1 client_id
 */
export const lockConnectionsOfPartner = statement(
  'lock_connections_of_partner',
  Type.Object({ connections: Type.Integer() }),
  `WITH locked AS (
     SELECT c.id FROM grants g JOIN connections c ON c.grant_id = g.id
      WHERE g.client_id = $1 ORDER BY g.id, c.id FOR UPDATE OF c
   )
   SELECT count(*)::int AS connections FROM locked`,
)

/**
 * Deletes the partner with its grants, connections and read counts. It locks the grants in the order of their ids, as the usage
 * counts do. The audit log keeps the partner's settings, and who was connected. $1 client_id, $2 origin
 */
export const deletePartnerRow = statement(
  'delete_partner',
  Consequences,
  `WITH live AS (
     SELECT l.id, l.user_id, l.client_id FROM grants l JOIN (${liveGrants}) AS found USING (id)
      ORDER BY l.id FOR UPDATE OF l
   ), facts AS (
     SELECT p.client_id, p.name, ${settingsOf('p')} AS settings, (SELECT count(*)::int FROM live) AS connected_users,
            (SELECT count(*)::int FROM live JOIN connections c ON c.grant_id = live.id WHERE c.revoked_at IS NULL)
              AS connections
       FROM partners p WHERE p.client_id = $1
   ), recorded AS (
     ${auditRow('partner.deleted', {
       origin: '$2',
       from: 'facts',
       target: { kind: 'partner', id: 'facts.client_id' },
       about: { client: 'facts.client_id' },
       details: {
         before: 'facts.settings',
         connected_users: 'facts.connected_users',
         connections: 'facts.connections',
       },
     })}
   ), ended AS (
     ${auditRow('grant.revoked', {
       origin: '$2',
       from: 'live',
       target: { kind: 'grant', id: 'live.id' },
       about: aboutParties('live'),
       details: { cause: `'partner_deleted'` },
     })}
   ), deleted AS (
     DELETE FROM partners p USING facts WHERE p.client_id = facts.client_id RETURNING p.client_id
   )
   SELECT client_id, name, connected_users, connections FROM facts JOIN deleted USING (client_id)`,
)
