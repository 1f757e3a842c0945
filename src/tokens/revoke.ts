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
  { client, token }: { client: ClientCredential; token: string },
): Promise<Revocation | TokenRefusal> {
  const { database } = context
  const presented = presentedToken(context, token)
  const { kind, locatorHash, proof, expiresAt } = presented
  const row = await (kind === 'access'
    ? database.one(revokeAccessTokens, [...clientValues(client), locatorHash, proof, expiresAt])
    : database.one(revokeConnection, [...clientValues(client), locatorHash]))
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

/**
 * Ends the connection of a refresh token (RFC 7009), which may be of any generation. A token of another client, or of a
 * connection that has ended, changes nothing. $1 to $5 the client, $6 SHA-256 of the refresh token's locator
 */
export const revokeConnection = statement(
  'revoke_connection',
  Revoked,
  `WITH ${authenticatedClient}, revoked AS (
     UPDATE connections c SET revoked_at = now(), revoked_for = 'partner'
       FROM client WHERE c.refresh_locator_hash = $6 AND c.client_id = client.client_id AND c.revoked_at IS NULL
     RETURNING c.id
   )
   SELECT ${clientAuthenticationColumn}, (SELECT id FROM revoked) AS connection_id`,
)

/**
 * Ends all access tokens of a connection, if the presented one is live (RFC 7009). They share nonces, so they cannot be
 * ended one by one. The refresh token goes on, and the next refresh sets a new nonce.
 *
 * $1 to $5 the client, $6 SHA-256 of the access token's locator, $7 its nonce, $8 when it expires
 */
export const revokeAccessTokens = statement(
  'revoke_access_tokens',
  Revoked,
  `WITH ${authenticatedClient}, revoked AS (
     UPDATE connections c SET access_nonce = NULL, previous_access_nonce = NULL
       FROM client
      WHERE c.access_locator_hash = $6 AND c.client_id = client.client_id
        AND c.revoked_at IS NULL AND now() < $8::timestamptz AND ${isIssuedToken('$7::bytea', '$8')}
     RETURNING c.id
   )
   SELECT ${clientAuthenticationColumn}, (SELECT id FROM revoked) AS connection_id`,
)
