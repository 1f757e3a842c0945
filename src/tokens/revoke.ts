import { auditRow } from '../audit/audit-row.sql.ts'
import type { AuditEvent } from '../audit/events.ts'
import { type Origin, originValue } from '../audit/origin.ts'
import type { Context } from '../context.ts'
import { statement } from '../database/database.ts'
import type { TokenRefusal } from '../http/refusals.ts'
import {
  authenticatedClient,
  ClientAuthentication,
  clientAuthenticationColumn,
  clientValues,
} from '../partners/client-authentication.sql.ts'
import type { ClientCredential } from '../partners/client-authentication.ts'
import Type from '../typebox.ts'
import { isIssuedToken } from './access-nonce.sql.ts'
import { clientRefusal } from './outcome.ts'
import { presentedToken } from './presented-token.ts'

/** `endedConnection` is the connection that ended. Revoking an access token ends no connection. */
export type Revocation = { kind: 'revoked'; endedConnection?: string } | { kind: 'nothing_to_revoke' }

/** Revokes a token. An unknown token is not an error (RFC 7009 section 2.2). */
export async function revoke(
  context: Context,
  origin: Origin,
  { client, token }: { client: ClientCredential; token: string },
): Promise<Revocation | TokenRefusal> {
  const { database } = context
  const presented = presentedToken(context, token)
  const { kind, locatorHash, proof, expiresAt } = presented
  const values = [...clientValues(client), originValue(origin), locatorHash]
  const row = await (kind === 'access'
    ? database.one(revokeAccessTokens, [...values, proof, expiresAt])
    : database.one(revokeConnection, values))
  // A suspended partner may still revoke its tokens.
  const refusal =
    row.client_authentication === 'suspended' ? undefined : clientRefusal(row.client_authentication, client)
  if (refusal) return refusal
  if (row.connection_id === null) return { kind: 'nothing_to_revoke' }
  return { kind: 'revoked', ...(kind === 'refresh' && { endedConnection: row.connection_id }) }
}

const Revoked = Type.Object({
  client_authentication: ClientAuthentication,
  connection_id: Type.Union([Type.String(), Type.Null()]),
})

const record = (event: AuditEvent, details: Record<string, string>) =>
  auditRow(event, {
    origin: '$6',
    from: 'revoked r JOIN grants g ON g.id = r.grant_id',
    target: { kind: 'connection', id: 'r.id' },
    about: { user: 'g.user_id', client: 'g.client_id' },
    details: { ...details, grant: 'r.grant_id' },
  })

/**
 * Ends the connection of a refresh token (RFC 7009), which may be of any generation. A token of another client, or of a
 * connection that has ended, changes nothing. $1 to $5 the client, $6 origin, $7 SHA-256 of the refresh token's
 * locator
 */
export const revokeConnection = statement(
  'revoke_connection',
  Revoked,
  `WITH ${authenticatedClient}, revoked AS (
     UPDATE connections c SET revoked_at = now(), revoked_for = 'partner'
       FROM client WHERE c.refresh_locator_hash = $7 AND c.client_id = client.client_id AND c.revoked_at IS NULL
     RETURNING c.id, c.grant_id
   ), recorded AS (
     ${record('connection.ended', { cause: `'partner'` })}
   )
   SELECT ${clientAuthenticationColumn}, (SELECT id FROM revoked) AS connection_id`,
)

/**
 * Ends all access tokens of a connection, if the presented one is live (RFC 7009). They share nonces, so they cannot be
 * ended one by one. The refresh token goes on, and the next refresh sets a new nonce.
 *
 * $1 to $5 the client, $6 origin, $7 SHA-256 of the access token's locator, $8 its nonce, $9 when it expires
 */
export const revokeAccessTokens = statement(
  'revoke_access_tokens',
  Revoked,
  `WITH ${authenticatedClient}, revoked AS (
     UPDATE connections c SET access_nonce = NULL, previous_access_nonce = NULL
       FROM client
      WHERE c.access_locator_hash = $7 AND c.client_id = client.client_id
        AND c.revoked_at IS NULL AND now() < $9::timestamptz AND ${isIssuedToken('$8::bytea', '$9')}
     RETURNING c.id, c.grant_id
   ), recorded AS (
     ${record('token.revoked', { token: `'access'` })}
   )
   SELECT ${clientAuthenticationColumn}, (SELECT id FROM revoked) AS connection_id`,
)
