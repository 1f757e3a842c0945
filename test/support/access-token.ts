import { randomBytes } from 'node:crypto'
import type { Database } from '../../src/database/database.ts'
import { accessTokenText, locatorBytes, nonceBytes } from '../../src/secrets/connection-token.ts'
import type { SecretKeys } from '../../src/secrets/derived-keys.ts'
import { sha256 } from '../../src/secrets/token-format.ts'
import { query } from './database.ts'
import { testKeys } from './server.ts'

/** `expiresIn` in seconds. `clientId`: the partner that gets the token. `keys` of the server that will accept it. */
type AccessTokenOptions = { expiresIn?: number; clientId?: string; keys?: SecretKeys }

/** An access token of a user, with the rows that the whole journey would create. */
export async function accessTokenOf(
  database: Database,
  userId: string,
  {
    expiresIn = 3600,
    clientId = 'test_of_access_tokens',
    keys = testKeys('sandbox'),
  }: AccessTokenOptions = {},
): Promise<string> {
  const [locator, nonce] = [randomBytes(locatorBytes), randomBytes(nonceBytes)]
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
     )
     INSERT INTO connections (grant_id, client_id, code_hash, code_expires_at, redemptions, redirect_uri, auth_time, acr, amr,
                              access_locator_hash, access_nonce, access_nonce_at, refreshed_at)
     SELECT id, $2, $3, now(), 1, 'https://partner.example/', now(), 'acr', '{pwd}', $3, $4, now(), now() FROM agreed`,
    [userId, clientId, sha256(locator), nonce],
  )
  const expiresAt = Math.floor(Date.now() / 1000) + expiresIn
  return accessTokenText('sandbox', keys.current, { locator, nonce, expiresAt })
}
