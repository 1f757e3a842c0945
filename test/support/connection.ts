import { sha256 } from '../../src/secrets/token-format.ts'
import { query } from './database.ts'
import { type Addresses, connect, type TokenAnswer, token } from './journey.ts'
import type { TestPartner, TestServer } from './server.ts'
import type { Visitor } from './visitor.ts'

/** A connection as the database has it, found by a code, access token or refresh token of it. */
export type ConnectionAtRest = {
  redemptions: number
  revoked_for: string | null
  revoked: boolean
  grant_revoked: boolean
  access_tokens: number
  refresh_tokens: number
}

const connectionOfSecret = `
  SELECT id FROM connections WHERE code_hash = $1
   UNION ALL SELECT connection_id FROM refresh_tokens WHERE hash = $1
   UNION ALL SELECT connection_id FROM access_tokens WHERE hash = $1`

export async function connectionOf(server: TestServer, secret: string): Promise<ConnectionAtRest> {
  const [row] = await query<ConnectionAtRest>(
    server.database,
    `SELECT c.redemptions, c.revoked_for, c.revoked_at IS NOT NULL AS revoked, g.revoked_at IS NOT NULL AS grant_revoked,
            (SELECT count(*) FROM access_tokens a WHERE a.connection_id = c.id)::int AS access_tokens,
            (SELECT count(*) FROM refresh_tokens r WHERE r.connection_id = c.id)::int AS refresh_tokens
       FROM connections c JOIN grants g ON g.id = c.grant_id
      WHERE c.id = (${connectionOfSecret})`,
    [sha256(secret)],
  )
  if (!row) throw new Error('no connection has this code or token')
  return row
}

/** Moves the past of one connection back by so many seconds, which is to the database as if they had passed. */
export async function passTime(server: TestServer, secret: string, seconds: number): Promise<void> {
  const columns = [
    ['connections', 'id', 'code_expires_at'],
    ['refresh_tokens', 'connection_id', 'expires_at'],
    ['refresh_tokens', 'connection_id', 'rotated_at'],
    ['access_tokens', 'connection_id', 'expires_at'],
  ]
  await server.database.withConnection(async (client) => {
    const { rows } = await client.query<{ id: string }>(connectionOfSecret, [sha256(secret)])
    const [row] = rows
    if (!row) throw new Error('no connection has this code or token')
    for (const [table, key, column] of columns) {
      await client.query(
        `UPDATE ${table} SET ${column} = ${column} - make_interval(secs => $2) WHERE ${key} = $1`,
        [row.id, seconds],
      )
    }
  })
}

/** Without a visitor it is a new one, who has to log in; `more` are further parameters of the authorization request. */
type Asking = { visitor?: Visitor; more?: Record<string, string> }

/** A code of the whole journey. */
export async function codeFor(
  server: Addresses,
  partner: TestPartner,
  userId: string,
  { visitor, more }: Asking = {},
): Promise<string> {
  const answer = await connect(server, partner, userId, more, visitor)
  const code = answer.searchParams.get('code')
  if (!code) throw new Error(`no code in ${answer.searchParams}`)
  return code
}

/** The tokens for such a code, which the partner redeems with its secret. */
export async function tokensFor(
  server: Addresses,
  partner: TestPartner,
  userId: string,
  asking?: Asking,
): Promise<Issued> {
  const code = await codeFor(server, partner, userId, asking)
  return issued(await token(server, partner, { grant_type: 'authorization_code', code }))
}

export type Issued = { accessToken: string; refreshToken: string; idToken: string }

/** The tokens of an answer that has to be a success. */
export function issued({ status, body }: TokenAnswer): Issued {
  const { access_token: accessToken, refresh_token: refreshToken, id_token: idToken } = body
  if (
    status !== 200 ||
    typeof accessToken !== 'string' ||
    typeof refreshToken !== 'string' ||
    typeof idToken !== 'string'
  ) {
    throw new Error(`no tokens in ${status} ${JSON.stringify(body)}`)
  }
  return { accessToken, refreshToken, idToken }
}
