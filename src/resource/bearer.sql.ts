import { Instant } from '../database/database.ts'
import { Ended, whenEnded } from '../grants/ended.sql.ts'
import { isIssuedToken } from '../tokens/access-nonce.sql.ts'
import Type from '../typebox.ts'

/**
 * Common table expressions that authenticate a call in the statement that answers it. A revocation therefore takes effect
 * with the next request on every server. `$1` is the access token (`BearerToken.value`). `bearer` has a row if the token's
 * connection exists, with the first reason to refuse the token. `caller` has the user's row if there is no reason to refuse
 * it. A nonce that the connection no longer has was revoked: a refresh keeps the nonces of all tokens that have not expired
 * (docs/adr/0019). The last reason is the login of the user, if the partner requires a stronger one (RFC 9470).
 */
export const callerOf = `
  bearer AS (
    SELECT g.id AS grant_id, p.client_id, u.id AS user_id, g.subject, u.firm_id, r.sees,
           f.changed_at AS firm_changed_at,
           CASE ${whenEnded('c', 'g', 'u')}
                WHEN p.status <> 'active' THEN 'client_suspended'
                WHEN ($1::access_token).expires_at <= now() THEN 'expired'
                WHEN NOT ${isIssuedToken('($1).nonce', '($1).expires_at')} THEN 'token_revoked'
                WHEN c.acr_level < p.require_level THEN
                  CASE p.require_level WHEN 2 THEN 'two_factors_required' ELSE 'passkey_required' END
           END AS refusal
      FROM connections c
      JOIN grants g ON g.id = c.grant_id
      JOIN partners p ON p.client_id = g.client_id
      JOIN users u ON u.id = g.user_id
      JOIN roles r ON r.name = u.role
      JOIN firms f ON f.id = u.firm_id
     WHERE c.access_locator_hash = ($1).locator_hash
  ), caller AS (
    SELECT grant_id, user_id, subject, firm_id, firm_changed_at, sees FROM bearer WHERE refusal IS NULL
  )`

/** The columns with which a statement that begins with `callerOf` reports the caller, or why the call is refused. */
export const callerColumns = `
  (SELECT grant_id FROM bearer) AS grant_id, now() AS used_at, (SELECT refusal FROM bearer) AS refusal,
  (SELECT client_id FROM bearer) AS client_id, (SELECT user_id FROM bearer) AS user_id`

export const CallerColumns = {
  /** For the log: the partner and the user of the token, even if the call is refused. */
  client_id: Type.Union([Type.String(), Type.Null()]),
  user_id: Type.Union([Type.String(), Type.Null()]),
  /** The grant of the token, even if the call is refused; null if the token is unknown. */
  grant_id: Type.Union([Type.String(), Type.Null()]),
  used_at: Instant,
  refusal: Type.Union([
    Ended,
    Type.Literal('client_suspended'),
    Type.Literal('token_revoked'),
    Type.Literal('expired'),
    Type.Literal('two_factors_required'),
    Type.Literal('passkey_required'),
    Type.Null(),
  ]),
}
