import type { Database } from '../../src/database/database.ts'
import { newToken } from '../../src/secrets/token-format.ts'
import { query } from './database.ts'

/** `expiresIn` in seconds. `clientId`: the partner that gets the token. */
type AccessTokenOptions = { expiresIn?: number; clientId?: string }

/** A live access token of a user, inserted into the database with the rows that the whole journey would create. */
export async function accessTokenOf(
  database: Database,
  userId: string,
  { expiresIn = 3600, clientId = 'test_of_access_tokens' }: AccessTokenOptions = {},
): Promise<string> {
  const token = newToken('sandbox', 'at')
  await query(
    database,
    `INSERT INTO partners (client_id, name, redirect_uris, secret_hashes) VALUES ($1, 'Partner', '{https://partner.example/}', '{x}')
     ON CONFLICT DO NOTHING`,
    [clientId],
  )
  await query(
    database,
    `WITH agreed AS (
       INSERT INTO grants (user_id, client_id, subject) VALUES ($1, $2, $1)
       ON CONFLICT (user_id, client_id) WHERE revoked_at IS NULL DO UPDATE SET subject = grants.subject
       RETURNING id
     ), connection AS (
       INSERT INTO connections (grant_id, client_id, code_hash, code_expires_at, redemptions, redirect_uri, auth_time)
       SELECT id, $2, $3, now(), 1, 'https://partner.example/', now() FROM agreed
       RETURNING id
     )
     INSERT INTO access_tokens (hash, connection_id, expires_at)
     SELECT $3, id, now() + make_interval(secs => $4) FROM connection`,
    [userId, clientId, token.hash, expiresIn],
  )
  return token.text
}
