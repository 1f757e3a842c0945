import { randomBytes } from 'node:crypto'
import { hashSync } from '@node-rs/argon2'
import { expect, test } from 'vitest'
import { query } from '../support/database.ts'
import { emailOf, password, seed, seededCost } from '../support/directory.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { interruptibleDatabase } from '../support/interruptible-database.ts'
import { api, authorize, logIn, pkce, token } from '../support/journey.ts'
import { neverIssued } from '../support/never-issued.ts'
import { getRaw, postRaw, sendRaw } from '../support/raw-socket.ts'
import type { TestPartner } from '../support/server.ts'
import { fieldsOf, redirectOf, Visitor } from '../support/visitor.ts'

const rounds = 13
const canaries = new Set<string>()

const database = await databaseFixture(interruptibleDatabase)
const server = await serverFixture({ on: database })
await seed(server.database, { users: ['ada'], households: ['h1'] })
const base = new URL(server.baseUrl).pathname
const oauth = `${base}oauth2`
const households = `${base}api/v1/households`

/** A new secret that must never appear in the log. It has the format of the value that it replaces. */
function canary(kind: 'text' | 'at' | 'rt' | 'ac' | 'cs' = 'text'): string {
  return watch(kind === 'text' ? `canary${randomBytes(12).toString('hex')}` : neverIssued(kind))
}

function watch(secret: string | null | undefined): string {
  if (!secret) throw new Error('no secret to watch')
  canaries.add(secret)
  return secret
}

/** All values that the server stores in a browser are secrets: session, CSRF token, sealed request. */
async function watchBrowser(visitor: Visitor): Promise<string> {
  for (const cookie of await visitor.jar.getCookies(server.authUrl)) watch(cookie.value)
  return visitor.jar.getCookieString(server.authUrl)
}

/** The whole successful journey. All its secrets are watched. */
async function journey(partner: TestPartner, userPassword: string) {
  const visitor = new Visitor()
  const { verifier, challenge } = pkce()
  const more = { state: canary(), nonce: canary(), code_challenge: challenge, code_challenge_method: 'S256' }
  const login = await authorize(visitor, server, partner, more)
  const refused = await logIn(visitor, login, 'ada', canary())
  watch(fieldsOf(refused, '/login').request)
  await logIn(visitor, login, canary(), canary()) // a password typed into the email field
  const page = await logIn(visitor, login, 'ada', userPassword)
  await watchBrowser(visitor)
  for (const value of Object.values(fieldsOf(page, '/connect'))) watch(value)
  const answer = redirectOf(await visitor.submit(page, '/connect', { decision: 'connect' }))
  const code = watch(answer?.searchParams.get('code'))
  const redeem = { grant_type: 'authorization_code', code, code_verifier: watch(verifier) }
  const first = await token(server, partner, redeem)
  expect(first.status).toBe(200)
  const refreshToken = watch(String(first.body.refresh_token))
  const second = await token(server, partner, { grant_type: 'refresh_token', refresh_token: refreshToken })
  for (const { body } of [first, second]) {
    for (const name of ['access_token', 'refresh_token', 'id_token']) watch(String(body[name]))
  }
  const accessToken = String(second.body.access_token)
  const found = await api(server, `households?name_pattern=${canary()}`, accessToken)
  expect(found.body).toEqual([])
  return { visitor, accessToken, redeem, refreshToken, idToken: String(second.body.id_token) }
}

/** Secrets in the wrong places. */
const jwtBearer = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

async function misplaced(
  partner: TestPartner,
  { visitor, accessToken, idToken }: Awaited<ReturnType<typeof journey>>,
) {
  const url = server.authUrl
  const cookie = await watchBrowser(visitor)
  const form = 'content-type: application/x-www-form-urlencoded'
  const json = 'content-type: application/json'
  const basic = (secret: string) => watch(Buffer.from(`${partner.clientId}:${secret}`).toString('base64'))
  const post = (query: string, headers: string[], body: string) =>
    postRaw(url, `${oauth}/token${query}`, headers, body)
  await Promise.all([
    token(
      server,
      { ...partner, clientSecret: canary('cs') },
      { grant_type: 'refresh_token', refresh_token: canary('rt') },
    ),
    token(server, { ...partner, clientSecret: canary() }, { grant_type: canary() }),
    token(server, partner, { token: canary('at') }, 'revoke'),
    token(server, partner, { grant_type: 'authorization_code', code: canary() }),
    post(
      '',
      [form, `authorization: Basic ${basic(canary('cs'))}`],
      `grant_type=refresh_token&refresh_token=${canary()}`,
    ),
    post('', [form, `authorization: Basic ${canary()}`], ''),
    post(`?client_secret=${canary('cs')}&code=${canary('ac')}`, [form], ''),
    post(`?client_assertion=${canary()}`, [form], ''),
    post('', [form], `client_assertion_type=${jwtBearer}&client_assertion=${canary()}`),
    post('', [form], `client_assertion_type=${canary()}&client_assertion=${canary()}`),
    post('', [json], `{"client_assertion":"${canary()}"`),
    token(server, partner, { token: canary('at') }, 'introspect'),
    post(`?${canary()}=1&${canary()}`, [form], ''),
    post(`?refresh_token=${canary()}%zz`, [form], ''),
    post('', [form], `client_secret=${canary()}%zz`),
    post('', [form], `${canary()}=1&${canary()}=2`),
    post('', [form], `code=${canary()}&code=${canary()}`),
    post('', [json], `{"client_secret":"${canary()}"`),
    post('', [json], `{"client_secret":["${canary()}",1]}`),
    post('', [`content-type: ${canary()}`], canary()),
    post('', [form, 'content-encoding: gzip'], canary()),
    post('', [form], `${canary()}${'x'.repeat(70_000)}`),
    getRaw(url, `${households}?access_token=${watch(accessToken)}`),
    getRaw(url, `${households}?page=${canary()}&page_size=${canary()}`, [
      `authorization: Bearer ${accessToken}`,
    ]),
    getRaw(url, `${households}/${canary()}/accounts`, [`authorization: Bearer ${accessToken}`]),
    getRaw(url, households, [`authorization: Bearer ${canary('at')}`]),
    getRaw(url, households, [`authorization: ${canary()}`]),
    getRaw(url, households, [`authorization: Bearer ${canary()}`, `authorization: ${canary()}`]),
    getRaw(url, households, [`x-api-request-id: ${canary()} ${canary()}`]),
    getRaw(url, households, [
      `x-forwarded-for: ${canary()}`,
      `user-agent: ${canary()}`,
      `referer: ${canary()}`,
    ]),
    getRaw(url, `/${canary()}?${canary()}=${canary()}`, [`cookie: latchkey-session=${canary()}`]),
    getRaw(url, `/${canary()}/%zz`),
    getRaw(url, `/connections`, [`cookie: ${cookie}`]),
    getRaw(url, `/connect?request=${canary()}`, [`cookie: latchkey-session=${canary()}; ${canary()}`]),
    getRaw(url, `/api/oauth2/authorize?client_id=${canary()}&redirect_uri=${canary()}&state=${canary()}`),
    getRaw(url, `/api/oauth2/authorize?id_token_hint=${idToken}&state=${canary()}`, [`cookie: ${cookie}`]),
    getRaw(url, `/api/oauth2/logout?id_token_hint=${idToken}&id_token_hint=${canary()}`),
    getRaw(url, `/logout?logout=${canary()}`),
    getRaw(url, `/password/reset?token=${watch(randomBytes(32).toString('base64url'))}`),
    getRaw(url, '/password/new', [`cookie: latchkey-password-link=${canary()}`]),
    postRaw(url, '/password/forgotten', [form], `email=${canary()}&_csrf=${canary()}`),
    postRaw(url, '/password/new', [form], `new_password=${canary()}&_csrf=${canary()}`),
    getRaw(url, `${oauth}/userinfo?access_token=${accessToken}`),
    postRaw(url, `${oauth}/userinfo`, [form], `access_token=${accessToken}`),
    postRaw(url, `${oauth}/userinfo`, [form], `access_token=${canary('at')}`),
    postRaw(url, '/login', [form], `email=${canary()}&password=${canary()}&_csrf=${canary()}`),
    postRaw(url, '/login', [form], `email=${canary()}&password=${canary()}%zz`),
    postRaw(url, '/login', [json], `{"password":"${canary()}`),
    // Node cannot parse this, and reports an error that contains the bytes.
    getRaw(url, households, [`authorization: Bearer ${canary()}\x01`]),
    getRaw(url, `/ ${canary()}`, [`${canary()} x`]),
    getRaw(url, '/', [`authorization: ${canary()}`, `x: ${'a'.repeat(17_000)}`]),
    sendRaw(url, `${canary()}\r\n\r\n`),
  ])
}

test('38: a thousand secrets, in the right and in the wrong places, are in no line of the log', async () => {
  for (let round = 0; round < rounds; round++) {
    const partner = await server.partner()
    watch(partner.clientSecret)
    const userPassword = canary()
    await query(server.database, 'UPDATE users SET password_hash = $1', [hashSync(userPassword, seededCost)])
    const done = await journey(partner, userPassword)
    await misplaced(partner, done)
    // Replays, which are logged separately.
    await token(server, partner, done.redeem)
    await token(server, partner, { grant_type: 'refresh_token', refresh_token: done.refreshToken })
  }
  expect(canaries.size).toBeGreaterThan(1000)
  expectSilence()
}, 120_000)

test('38: nor in the lines about an unavailable database', async () => {
  const partner = await server.partner()
  watch(partner.clientSecret)
  const visitor = new Visitor()
  const login = await visitor.get(`${server.authUrl}/login`)
  await database.cut()
  const refresh = { grant_type: 'refresh_token', refresh_token: canary('rt') }
  const answers = [
    await token(server, partner, refresh),
    await api(server, `households?name_pattern=${canary()}`, canary('at')),
    await visitor.submit(login, '/login', { email: emailOf(canary()), password: canary() }),
    await fetch(`${server.authUrl}/connections`, { headers: { cookie: `latchkey-session=${canary()}` } }),
  ]
  await database.heal()
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503])
  expect(server.logs()).toContain('the database is unavailable')
  expectSilence()
})

test('38: nor in the lines about an internal error', async () => {
  const partner = await server.partner()
  watch(partner.clientSecret)
  const bearer = canary('at')
  await query(server.database, 'ALTER TABLE connections RENAME TO elsewhere')
  const answers = [
    await api(server, `households?name_pattern=${canary()}`, bearer),
    await token(server, partner, { grant_type: 'refresh_token', refresh_token: canary('rt') }),
  ]
  await query(server.database, 'ALTER TABLE elsewhere RENAME TO connections')
  expect(answers.map(({ status, body }) => [status, Object(body).code ?? Object(body).error])).toEqual([
    [500, 'internal_error'],
    [500, 'server_error'],
  ])
  expect(server.logs()).toContain('does not exist')
  expectSilence()
})

/** Includes encoded forms of the secrets. */
function expectSilence() {
  const logs = server.logs()
  // The log is not empty, and reports what happened.
  for (const sign of ['"event":"login"', '"event":"token"', '"event":"unreadable"']) {
    expect(logs).toContain(sign)
  }
  expect(logs).not.toContain(password)
  const seen = [...canaries].filter((secret) =>
    [
      secret,
      encodeURIComponent(secret),
      decodeURIComponent(secret),
      Buffer.from(secret).toString('base64'),
    ].some((text) => logs.includes(text)),
  )
  expect(seen).toEqual([])
}
