import { auditRow } from '../audit/audit-row.sql.ts'
import type { AuditEvent } from '../audit/events.ts'
import { Instant, statement } from '../database/database.ts'
import { Ended, isLiveGrant, whenEnded } from '../grants/ended.sql.ts'
import { SigningAlgorithm } from '../keys/signing-keys.ts'
import {
  authenticatedClient,
  ClientAuthentication,
  clientAuthenticationColumn,
} from '../partners/client-authentication.sql.ts'
import Type, { type Static } from '../typebox.ts'

const issuesTokens =
  'c.redemptions = 0 AND c.revoked_at IS NULL AND c.code_expires_at > now() AND f.misfit IS NULL AND f.live'

/** SET clauses with the state of the first tokens (docs/adr/0019). */
const firstTokens = Object.entries({
  refresh_locator_hash: '$9',
  access_locator_hash: '$10',
  access_nonce: '$11',
  access_nonce_at: 'now()',
  generation: '1',
  refreshed_at: 'now()',
  mark_generation: '1',
  marked_at: 'now()',
  earlier_generation: '1',
  earlier_at: 'now()',
})
  .map(([column, value]) => `${column} = CASE WHEN ${issuesTokens} THEN ${value} ELSE c.${column} END`)
  .join(',\n       ')

const RedeemedRow = Type.Object({
  client_authentication: ClientAuthentication,
  id_token_alg: Type.Union([SigningAlgorithm, Type.Null()]),
  connection_id: Type.Union([Type.String(), Type.Null()]),
  grant_id: Type.Union([Type.String(), Type.Null()]),
  redemptions: Type.Union([Type.Integer(), Type.Null()]),
  expired: Type.Union([Type.Boolean(), Type.Null()]),
  /** Which parameter does not match the authorization request. */
  misfit: Type.Union([
    Type.Literal('redirect_uri_mismatch'),
    Type.Literal('code_verifier_missing'),
    Type.Literal('code_verifier_unexpected'),
    Type.Literal('code_verifier_mismatch'),
    Type.Null(),
  ]),
  ended: Type.Union([Ended, Type.Null()]),
  subject: Type.Union([Type.String(), Type.Null()]),
  auth_time: Type.Union([Instant, Type.Null()]),
  acr: Type.Union([Type.String(), Type.Null()]),
  amr: Type.Union([Type.Array(Type.String()), Type.Null()]),
  nonce: Type.Union([Type.String(), Type.Null()]),
  issued_at: Instant,
})
export type Redeemed = Static<typeof RedeemedRow>
/** A client that repeats a replay leaves one record of it: a loop must not fill the log. */
const record = (event: AuditEvent, condition: string, details: Record<string, string>) =>
  auditRow(event, {
    origin: '$12',
    from: `judged j WHERE ${condition}`,
    target: { kind: 'connection', id: 'j.id' },
    about: { user: 'j.user_id', client: 'j.client_id' },
    details: { ...details, grant: 'j.grant_id' },
  })

/**
 * Redeems an authorization code in one statement. `redemptions` in the row of the connection counts how often the right
 * client has presented the code. Parallel requests wait for the lock of that row. Exactly one of them is the first. Each
 * other request is a replay and revokes the connection (RFC 6749 section 4.1.2). If the right client sends a wrong redirect
 * URI or verifier, the connection is revoked too. A request of a wrong client changes nothing.
 *
 * $1 to $5 the client, $6 SHA-256 of the code, $7 redirect URI or null when not sent, $8 S256 of the verifier or null,
 * $9 SHA-256 of the new refresh locator, $10 SHA-256 of the new access locator, $11 new access nonce, $12 origin
 */
export const redeemCode = statement(
  'redeem_code',
  RedeemedRow,
  `WITH ${authenticatedClient}, presented AS (
     UPDATE connections c SET
       redemptions = c.redemptions + 1,
       revoked_at = CASE WHEN c.redemptions > 0 OR f.misfit IS NOT NULL THEN coalesce(c.revoked_at, now()) ELSE c.revoked_at END,
       revoked_for = CASE WHEN c.revoked_at IS NOT NULL THEN c.revoked_for
                          WHEN c.redemptions > 0 THEN 'code_replayed'
                          WHEN f.misfit IS NOT NULL THEN 'code_misused' END,
       ${firstTokens}
      FROM client, LATERAL (
        SELECT k.id, CASE WHEN $7::text <> k.redirect_uri THEN 'redirect_uri_mismatch'
                          WHEN k.code_challenge IS NULL AND $8::text IS NOT NULL THEN 'code_verifier_unexpected'
                          WHEN k.code_challenge IS NOT NULL AND $8 IS NULL THEN 'code_verifier_missing'
                          WHEN k.code_challenge <> $8 THEN 'code_verifier_mismatch' END AS misfit,
               ${isLiveGrant('g')} AND u.status = 'active' AS live
          FROM connections k JOIN grants g ON g.id = k.grant_id JOIN users u ON u.id = g.user_id
         WHERE k.code_hash = $6
      ) f
     WHERE c.id = f.id AND c.client_id = client.client_id AND client.status = 'active'
     RETURNING c.id, c.grant_id, c.redemptions, c.code_expires_at <= now() AS expired, f.misfit, c.revoked_at,
               c.revoked_for, c.auth_time, c.acr, c.amr, c.nonce
   ), judged AS (
     SELECT p.*, g.subject, g.user_id, g.client_id, CASE ${whenEnded('p', 'g', 'u')} END AS ended
       FROM presented p JOIN grants g ON g.id = p.grant_id JOIN users u ON u.id = g.user_id
   ), replay AS (
     ${record('token.replayed', 'j.redemptions = 2', { token: `'code'` })}
   ), ending AS (
     ${record('connection.ended', 'j.revoked_at = now()', { cause: 'j.revoked_for' })}
   )
   SELECT ${clientAuthenticationColumn}, (SELECT id_token_alg FROM client) AS id_token_alg,
          j.id AS connection_id, j.grant_id, j.redemptions, j.expired, j.misfit, j.ended, j.subject, j.auth_time, j.acr, j.amr, j.nonce,
          now() AS issued_at
     FROM (SELECT) AS always LEFT JOIN judged j ON true`,
)
