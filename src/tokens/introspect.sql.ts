import { statement } from '../database/database.ts'
import { isLive } from '../grants/ended.sql.ts'
import {
  authenticatedClient,
  ClientAuthentication,
  clientAuthenticationColumn,
} from '../partners/client-authentication.sql.ts'
import Type from '../typebox.ts'
import { isIssuedToken } from './access-nonce.sql.ts'

/**
 * Finds the subject of a live token of the authenticated client (RFC 7662 section 2.2). `isCurrent` compares the token with
 * the connection `c`. $1 to $5 the client, $6 SHA-256 of the locator, $8 when the token expires
 */
const introspect = (name: string, locatorHash: string, isCurrent: string) =>
  statement(
    name,
    Type.Object({
      client_authentication: ClientAuthentication,
      subject: Type.Union([Type.String(), Type.Null()]),
    }),
    `WITH ${authenticatedClient}, live AS (
       SELECT g.subject
         FROM client
         JOIN connections c ON c.${locatorHash} = $6 AND c.client_id = client.client_id
         JOIN grants g ON g.id = c.grant_id
         JOIN users u ON u.id = g.user_id
        WHERE ${isCurrent} AND now() < $8::timestamptz AND ${isLive('c', 'g', 'u')}
     )
     SELECT ${clientAuthenticationColumn}, l.subject FROM (SELECT) AS always LEFT JOIN live l ON true`,
  )

/** An access token that the API would accept now. $7 its nonce */
export const introspectAccessToken = introspect(
  'introspect_access_token',
  'access_locator_hash',
  isIssuedToken('$7::bytea', '$8::timestamptz'),
)

/** The newest refresh token of its connection. $7 its generation */
export const introspectRefreshToken = introspect(
  'introspect_refresh_token',
  'refresh_locator_hash',
  'c.generation = $7::bigint',
)
