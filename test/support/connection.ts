import { passwordAcr } from '../../src/acr.ts'
import { systemOrigin } from '../../src/audit/origin.ts'
import { connect as issueCode } from '../../src/authorize/connect.ts'
import { randomId, sha256 } from '../../src/secrets/token-format.ts'
import { presentedToken } from '../../src/tokens/presented-token.ts'
import { query } from './database.ts'
import { type Addresses, connect, logIn, type TokenAnswer, token } from './journey.ts'
import { cookieOf } from './login.ts'
import type { TestPartner, TestServer } from './server.ts'
import type { Visitor } from './visitor.ts'

/** A connection as stored in the database, found by its code or by one of its tokens. */
export type ConnectionAtRest = {
  redemptions: number
  revoked_for: string | null
  revoked: boolean
  grant_revoked: boolean
  /** The number of refresh tokens so far. Null before the code is redeemed. */
  generation: number | null
}

export async function connectionOf(server: TestServer, secret: string): Promise<ConnectionAtRest> {
  const presented = presentedToken(server.context, secret)
  const [row] = await query<ConnectionAtRest>(
    server.database,
    `SELECT c.redemptions, c.revoked_for, c.revoked_at IS NOT NULL AS revoked, g.revoked_at IS NOT NULL AS grant_revoked,
            c.generation
       FROM connections c JOIN grants g ON g.id = c.grant_id
      WHERE $1 IN (c.code_hash, c.refresh_locator_hash, c.access_locator_hash)`,
    [presented.kind === 'none' ? sha256(secret) : presented.locatorHash],
  )
  return row ?? fail('no connection has this code or token')
}

/** `more`: further parameters of the authorization request. The visitor is logged in afterwards. */
type CodeOptions = { visitor?: Visitor; more?: Record<string, string> }

/**
 * A code for this user. If the server runs in this process, the code comes directly from the use case behind the connect
 * page, which is faster. If it runs elsewhere, or if `more` changes the journey, this goes through the whole journey.
 */
export async function codeFor(
  server: Addresses | TestServer,
  partner: TestPartner,
  userId: string,
  { visitor, more = {} }: CodeOptions = {},
): Promise<string> {
  const { nonce, code_challenge: codeChallenge, code_challenge_method: _, ...others } = more
  if (!('context' in server) || Object.keys(others).length > 0) {
    const answer = await connect(server, partner, userId, more, visitor)
    return answer.searchParams.get('code') ?? fail(`no code in ${answer.searchParams}`)
  }
  const now = server.context.now()
  const authTime = visitor && (await loginTime(server, visitor, userId))
  const outcome = await issueCode(
    server.context,
    systemOrigin,
    {
      id: randomId(),
      issuedAt: now.getTime(),
      clientId: partner.clientId,
      redirectUri: partner.redirectUri,
      prompt: [],
      ...(nonce && { nonce }),
      ...(codeChallenge && { codeChallenge }),
    },
    { user_id: userId, auth_time: authTime ?? now, acr: passwordAcr, amr: ['pwd'] },
    'en',
  )
  return outcome.kind === 'connected' ? outcome.code : fail(`no code: ${outcome.kind}`)
}

/** When the visitor logged in. Logs the visitor in first if necessary. */
async function loginTime(server: TestServer, visitor: Visitor, userId: string): Promise<Date> {
  const cookie = () => cookieOf(visitor, server, 'latchkey-session')
  if (!(await cookie())) await logIn(visitor, await visitor.get(`${server.authUrl}/login`), userId)
  const [session] = await query<{ auth_time: Date }>(
    server.database,
    'SELECT auth_time FROM sessions WHERE hash = $1 AND user_id = $2',
    [sha256((await cookie()) ?? ''), userId],
  )
  return session?.auth_time ?? fail(`the visitor is not logged in as ${userId}`)
}

function fail(message: string): never {
  throw new Error(message)
}

/** The tokens for a new code, which the partner redeems with its secret. */
export async function tokensFor(
  server: Addresses | TestServer,
  partner: TestPartner,
  userId: string,
  options?: CodeOptions,
): Promise<Issued> {
  const code = await codeFor(server, partner, userId, options)
  return issued(await token(server, partner, { grant_type: 'authorization_code', code }))
}

/** `idToken` is empty if there is none, as in the answer to most refreshes. */
export type Issued = { accessToken: string; refreshToken: string; idToken: string }

/** The tokens of a response that must be successful. */
export function issued({ status, body }: TokenAnswer): Issued {
  const { access_token: accessToken, refresh_token: refreshToken, id_token: idToken = '' } = body
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
