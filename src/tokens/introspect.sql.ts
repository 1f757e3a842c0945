import { Instant, statement } from '../database/database.ts'
import { isLive } from '../grants/ended.sql.ts'
import {
  authenticatedClient,
  ClientAuthentication,
  clientAuthenticationColumn,
  isActiveWithSecret,
} from '../partners/client-authentication.sql.ts'
import Type from '../typebox.ts'
import { isIssuedToken } from './access-nonce.sql.ts'

/** How a token of each kind is found and compared with its connection `c`. `proof`: the access nonce or the generation. */
const kinds = {
  access: {
    locatorHash: 'access_locator_hash',
    isCurrent: (proof: string, expiresAt: string) => isIssuedToken(`${proof}::bytea`, expiresAt),
  },
  refresh: {
    locatorHash: 'refresh_locator_hash',
    isCurrent: (proof: string) => `c.generation = ${proof}::bigint`,
  },
}
type Kind = keyof typeof kinds

/**
 * The common case of `introspect`: a client that authenticates with a secret, and a live token. Finds the subject, and the
 * login that the token is based on (RFC 9470 section 6). No row in every other case.
 *
 * $1 to $3 as in `isActiveWithSecret`, $4 SHA-256 of the locator, $5 access nonce or generation, $6 when the token expires
 */
const introspectLive = (kind: Kind) =>
  statement(
    `introspect_live_${kind}_token`,
    Type.Object({ subject: Type.String(), acr: Type.String(), auth_time: Instant }),
    `SELECT g.subject, c.acr, c.auth_time
       FROM partners client
       JOIN connections c ON c.${kinds[kind].locatorHash} = $4 AND c.client_id = client.client_id
       JOIN grants g ON g.id = c.grant_id
       JOIN users u ON u.id = g.user_id
      WHERE ${isActiveWithSecret}
        AND ${kinds[kind].isCurrent('$5', '$6::timestamptz')} AND now() < $6::timestamptz AND ${isLive('c', 'g', 'u')}`,
  )

/**
 * Authenticates the client and finds the subject of a live token (RFC 7662 section 2.2), and the login that the token is based
 * on.
 *
 * $1 to $5 the client, $6 SHA-256 of the locator, $7 access nonce or generation, $8 when the token expires; $6 to $8 are null
 * if the text is not a token
 */
const introspect = (kind: Kind) =>
  statement(
    `introspect_${kind}_token`,
    Type.Object({
      client_authentication: ClientAuthentication,
      subject: Type.Union([Type.String(), Type.Null()]),
      acr: Type.Union([Type.String(), Type.Null()]),
      auth_time: Type.Union([Instant, Type.Null()]),
    }),
    `WITH ${authenticatedClient}, live AS (
       SELECT g.subject, c.acr, c.auth_time
         FROM client
         JOIN connections c ON c.${kinds[kind].locatorHash} = $6 AND c.client_id = client.client_id
         JOIN grants g ON g.id = c.grant_id
         JOIN users u ON u.id = g.user_id
        WHERE ${kinds[kind].isCurrent('$7', '$8::timestamptz')} AND now() < $8::timestamptz AND ${isLive('c', 'g', 'u')}
     )
     SELECT ${clientAuthenticationColumn}, l.subject, l.acr, l.auth_time FROM (SELECT) AS always LEFT JOIN live l ON true`,
  )

/** Access tokens that the API would accept now, and the newest refresh token of each connection. */
export const introspectLiveToken = { access: introspectLive('access'), refresh: introspectLive('refresh') }
export const introspectToken = { access: introspect('access'), refresh: introspect('refresh') }
