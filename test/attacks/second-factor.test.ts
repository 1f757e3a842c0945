import { beforeEach, describe, expect, test, vi } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { resetFactors } from '../../src/factors/reset-factors.ts'
import { findFactorFacts } from '../../src/login/factor-facts.sql.ts'
import { query } from '../support/database.ts'
import { emailOf, password, seed } from '../support/directory.ts'
import { addPasskey, addTotp, nextCode, optionsOn, passwordOnly, totp } from '../support/factors.ts'
import { serverFixture } from '../support/fixtures.ts'
import { authorize } from '../support/journey.ts'
import { cookieOf, plant } from '../support/login.ts'
import { answerOf, isConnectPage, isLoginPage, loggedIn } from '../support/pages.ts'
import { isLoggedIn } from '../support/sessions.ts'
import { type Deviation, SoftAuthenticator } from '../support/soft-authenticator.ts'
import { fieldsOf, type Page, Visitor } from '../support/visitor.ts'

const server = await serverFixture({ host: 'localhost' })
const partner = await server.partner()
const users = Array.from({ length: 40 }, (_, number) => `user-${number}`)
await seed(server.database, { users })

/** A user who has no factor yet. */
let user = ''
beforeEach(async () => {
  user = users.pop() ?? ''
  await query(server.database, 'DELETE FROM login_failures')
})

const page2 = '/login/second-factor'

/** The page for the second factor in a new browser. */
async function atSecondFactor(userId = user): Promise<{ visitor: Visitor; page: Page }> {
  const visitor = new Visitor()
  const page = await passwordOnly(server, userId, visitor)
  expect(new URL(page.url).pathname).toBe(page2)
  return { visitor, page }
}

const withTotp = async (userId = user) => addTotp(server, await loggedIn(server, userId))

async function withPasskey(userId = user): Promise<SoftAuthenticator> {
  const device = new SoftAuthenticator(server.authUrl)
  await addPasskey(server, await loggedIn(server, userId), device)
  return device
}

const setStatus = (status: 'active' | 'disabled') =>
  query(server.database, 'UPDATE users SET status = $2 WHERE id = $1', [user, status])

/** The user with an app and a passkey, and a partner that requires a passkey. */
async function protectedOwner() {
  const owner = await loggedIn(server, user)
  const { secret } = await addTotp(server, owner)
  await addPasskey(server, owner, new SoftAuthenticator(server.authUrl))
  return { secret, strict: await server.partner({ requireAcr: 'urn:latchkey:acr:phishing-resistant' }) }
}

const sendCode = ({ visitor, page }: { visitor: Visitor; page: Page }, code: string) =>
  visitor.submit(page, page2, { method: 'totp', code })

describe('56: a passkey', () => {
  const otherKey = () => new SoftAuthenticator(server.authUrl)

  /** Answers the login page with this deviation. @returns the status */
  async function loginStatus(device: SoftAuthenticator, deviation: Deviation): Promise<number> {
    const visitor = new Visitor()
    const page = await visitor.get(`${server.authUrl}/login`)
    const credential = device.get(optionsOn(page, '/login/passkey'), deviation)
    const { status } = await visitor.submit(page, '/login/passkey', { credential })
    expect(await isLoggedIn(visitor, server)).toBe(status === 303)
    return status
  }

  test('of another origin, RP id or key, or without user verification', async () => {
    const device = await withPasskey()
    const other = otherKey()
    other.create({ challenge: '', rp: { id: 'localhost' }, user: { id: '' } })
    const deviations: Deviation[] = [
      { origin: 'https://evil.example' },
      { origin: `${server.authUrl}.evil.example` },
      { rpId: 'evil.example' },
      { rpId: '127.0.0.1' },
      { key: other.passkeys[0]?.key ?? expect.fail() },
      { unverified: true },
      { credentialId: 'AAAAAAAAAAAAAAAAAAAAAA' },
      { userHandle: 'AAAAAAAAAAAAAAAAAAAAAA' },
    ]
    for (const deviation of deviations) expect(await loginStatus(device, deviation)).toBe(403)
    expect(await loginStatus(device, {})).toBe(303)
  })

  test('whose counter runs back is refused and logged: it may be a copy', async () => {
    const device = await withPasskey()
    expect(await loginStatus(device, { counter: 10 })).toBe(303)
    for (const counter of [9, 10, 0]) expect(await loginStatus(device, { counter })).toBe(403)
    expect(server.logs()).toContain('"reason":"counter_or_user"')
    expect(await loginStatus(device, { counter: 11 })).toBe(303)
  })

  test('answer sent again, also 16 at once: one login, even if the counter is always 0', async () => {
    const device = await withPasskey()
    const first = new Visitor()
    const page = await first.get(`${server.authUrl}/login`)
    const credential = device.get(optionsOn(page, '/login/passkey'), { counter: 0 })
    const pages = await Promise.all(
      Array.from({ length: 16 }, () => first.submit(page, '/login/passkey', { credential })),
    )
    expect(pages.filter(({ status }) => status === 303)).toHaveLength(1)
    const other = new Visitor()
    const fresh = await other.get(`${server.authUrl}/login`)
    expect((await other.submit(fresh, '/login/passkey', { credential })).status).toBe(403)
  })

  test('with a challenge of its own, of another page or of more than ten minutes ago', async () => {
    const device = await withPasskey()
    const invented = Buffer.from('a challenge of the attacker').toString('base64url')
    expect(await loginStatus(device, { challenge: invented })).toBe(403)
    const { page, visitor } = await atSecondFactor()
    const { challenge } = optionsOn(page, page2)
    expect(await loginStatus(device, { challenge })).toBe(403)
    const login = await visitor.get(`${server.authUrl}/login`)
    const ofLogin = device.get(optionsOn(page, page2), optionsOn(login, '/login/passkey'))
    expect((await visitor.submit(page, page2, { credential: ofLogin })).status).toBe(403)
    const stale = optionsOn(await new Visitor().get(`${server.authUrl}/login`), '/login/passkey').challenge
    server.advanceClock(601)
    expect(await loginStatus(device, { challenge: stale })).toBe(403)
  })

  test('of another user, or made for another login of the same user, is no second factor', async () => {
    const device = await withPasskey()
    const stranger = await withPasskey(users.pop() ?? '')
    const mine = await atSecondFactor()
    const credential = stranger.get(optionsOn(mine.page, page2))
    expect((await mine.visitor.submit(mine.page, page2, { credential })).status).toBe(403)
    const elsewhere = await atSecondFactor()
    const phished = device.get(optionsOn(elsewhere.page, page2))
    expect((await mine.visitor.submit(mine.page, page2, { credential: phished })).status).toBe(403)
    expect((await elsewhere.visitor.submit(elsewhere.page, page2, { credential: phished })).status).toBe(303)
  })

  test('that belongs to somebody else already, or is registered twice, is not stored', async () => {
    const device = await withPasskey()
    const thief = await loggedIn(server, users.pop() ?? '')
    const settings = await thief.get(`${server.authUrl}/security`)
    const made = JSON.parse(device.create(optionsOn(settings, '/security/passkeys')))
    await thief.submit(settings, '/security/passkeys', { credential: JSON.stringify(made) })
    const again = await thief.submit(settings, '/security/passkeys', { credential: JSON.stringify(made) })
    expect(again.status).not.toBe(200)
    const [row] = await query<{ count: number }>(
      server.database,
      'SELECT count(*)::int FROM passkeys WHERE credential_id = $1',
      [made.id],
    )
    expect(row?.count).toBe(1)
  })

  test('or JSON that is none, markup and 60 kB of it', async () => {
    const visitor = new Visitor()
    for (const credential of [
      '',
      '{',
      'null',
      '[]',
      '{"id":1}',
      `{"id":"${'A'.repeat(60_000)}"}`,
      '<script>',
    ]) {
      const page = await visitor.get(`${server.authUrl}/login`)
      expect((await visitor.submit(page, '/login/passkey', { credential })).status).toBe(403)
    }
  })

  test('of a disabled user, or of a firm whose users log in only at its provider', async () => {
    const device = await withPasskey()
    await query(server.database, `UPDATE firms SET local_passwords = false`)
    expect(await loginStatus(device, {})).toBe(403)
    await query(server.database, `UPDATE firms SET local_passwords = true`)
    await query(server.database, `UPDATE users SET status = 'disabled' WHERE id = $1`, [user])
    expect(await loginStatus(device, {})).toBe(403)
    await query(server.database, `UPDATE users SET status = 'active' WHERE id = $1`, [user])
    expect(await loginStatus(device, {})).toBe(303)
  })
})

describe('56: a code', () => {
  test('used a second time, also 16 at once, or an earlier one afterwards', async () => {
    const { secret } = await withTotp()
    server.advanceClock(60)
    const now = server.context.now()
    const [earlier, current] = [totp(secret, new Date(now.getTime() - 30_000)), totp(secret, now)]
    const attempt = await atSecondFactor()
    const pages = await Promise.all(Array.from({ length: 16 }, () => sendCode(attempt, current)))
    expect(pages.filter(({ status }) => status === 303)).toHaveLength(1)
    await query(server.database, 'DELETE FROM login_failures')
    for (const code of [current, earlier])
      expect((await sendCode(await atSecondFactor(), code)).status).toBe(403)
  })

  test('of two steps ago or of another user', async () => {
    const { secret } = await withTotp()
    const stranger = await withTotp(users.pop() ?? '')
    server.advanceClock(90)
    const old = totp(secret, new Date(server.context.now().getTime() - 60_000))
    for (const code of [old, nextCode(server, stranger.secret)]) {
      expect((await sendCode(await atSecondFactor(), code)).status).toBe(403)
    }
  })

  test('guessed with a known password, 40 at once from many browsers: ten guesses in a day, then even the right one waits', async () => {
    const owner = await loggedIn(server, user)
    const { secret, codes } = await addTotp(server, owner)
    await owner.submit(await owner.get(`${server.authUrl}/connections`), '/logout', {})
    const attackers = await Promise.all(Array.from({ length: 4 }, () => atSecondFactor()))
    const guesses = attackers.flatMap((attempt) =>
      Array.from({ length: 10 }, () => sendCode(attempt, '000000')),
    )
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 403)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(30)
    const [attempt] = attackers
    if (attempt) expect((await sendCode(attempt, nextCode(server, secret))).status).toBe(429)
    const [failure] = await query<{ hours: number }>(
      server.database,
      'SELECT max(extract(epoch FROM resets_at - now()) / 3600)::int AS hours FROM login_failures',
    )
    expect(failure?.hours).toBe(24)
    // The owner is not locked out: neither in the browser that the account knows nor, with a recovery code, elsewhere.
    const known = await passwordOnly(server, user, owner)
    expect((await sendCode({ visitor: owner, page: known }, nextCode(server, secret))).status).toBe(303)
    const { visitor, page } = await atSecondFactor()
    const fields = { method: 'recovery_code', code: codes[0] ?? '' }
    expect((await visitor.submit(page, page2, fields)).status).toBe(303)
  })

  test('guessed in a browser that the account knows from before the second factor', async () => {
    const visitor = await loggedIn(server, user)
    await withTotp()
    const page = await passwordOnly(server, user, visitor)
    for (let guess = 0; guess < 10; guess++)
      expect((await sendCode({ visitor, page }, '000000')).status).toBe(403)
    // Its guesses count with those of all other browsers.
    expect((await sendCode(await atSecondFactor(), '000000')).status).toBe(429)
  })
})

test('56: a recovery code raced by 64 browsers has one winner, and its attempts are throttled by source', async () => {
  const { codes } = await withTotp()
  const attempts = await Promise.all(Array.from({ length: 8 }, () => atSecondFactor()))
  const fields = { method: 'recovery_code', code: codes[3] ?? '' }
  const pages = await Promise.all(
    attempts.flatMap(({ visitor, page }) =>
      Array.from({ length: 8 }, () => visitor.submit(page, page2, fields)),
    ),
  )
  expect(pages.filter(({ status }) => status === 303)).toHaveLength(1)
  const [row] = await query<{ left: number }>(
    server.database,
    'SELECT cardinality(hashes) AS left FROM recovery_codes WHERE user_id = $1',
    [user],
  )
  expect(row?.left).toBe(9)
  const { visitor, page } = await atSecondFactor()
  await query(server.database, 'UPDATE login_failures SET count = 101')
  expect((await visitor.submit(page, page2, { ...fields, code: codes[4] ?? '' })).status).toBe(429)
})

describe('79: a login that skips the second factor', () => {
  test('by going on to another page, or by the password in another way', async () => {
    await withTotp()
    const { visitor } = await atSecondFactor()
    for (const path of ['/connections', '/security', '/sessions', '/password', '/step-up']) {
      const page = await visitor.follow(await visitor.get(server.authUrl + path))
      expect(isLoginPage(page), path).toBe(true)
    }
    expect(isLoginPage(await authorize(visitor, server, partner))).toBe(true)
  })

  test('by a pending login that is changed, foreign, or of an account whose credentials changed', async () => {
    const { secret } = await withTotp()
    const { visitor, page } = await atSecondFactor()
    const sealed = (await cookieOf(visitor, server, 'latchkey-login')) ?? ''
    const status = async (cookie: string) => {
      const browser = new Visitor()
      const login = await browser.get(`${server.authUrl}/login`)
      await plant(browser, server, 'latchkey-login', cookie)
      const fields = { ...fieldsOf(login, '/login'), method: 'totp', code: nextCode(server, secret) }
      const answer = await browser.post(server.authUrl + page2, fields)
      expect(await isLoggedIn(browser, server)).toBe(false)
      return answer.headers.get('location')
    }
    const flipped = `${sealed.slice(0, 60)}${sealed[60] === 'A' ? 'B' : 'A'}${sealed.slice(61)}`
    const authorization = new URL((await authorize(new Visitor(), server, partner)).url).searchParams.get(
      'request',
    )
    const challenge = Buffer.from(optionsOn(page, page2)?.challenge ?? '', 'base64url').toString()
    for (const cookie of ['', 'x', flipped, authorization ?? '', challenge])
      expect(await status(cookie)).toBe('/login')
    await query(server.database, 'UPDATE users SET login_version = gen_random_uuid() WHERE id = $1', [user])
    expect(await status(sealed)).toBe('/login')
  })

  test('by a pending login of more than ten minutes ago, also one that was used', async () => {
    const { secret } = await withTotp()
    const attempt = await atSecondFactor()
    const sealed = (await cookieOf(attempt.visitor, server, 'latchkey-login')) ?? ''
    server.advanceClock(540)
    const inTime = await sendCode(attempt, nextCode(server, secret))
    expect(inTime.headers.get('location')).toBe('/connections')
    const late = await atSecondFactor()
    await plant(late.visitor, server, 'latchkey-login', sealed)
    server.advanceClock(1)
    expect((await sendCode(late, nextCode(server, secret))).headers.get('location')).toBe('/login')
  })

  test('by setting up another factor with the password alone', async () => {
    const { secret } = await withTotp()
    const stale = await loggedIn(server, users.pop() ?? '')
    await query(
      server.database,
      'UPDATE sessions SET user_id = $1, login_version = (SELECT login_version FROM users WHERE id = $1) WHERE acr = $2 AND user_id <> $1',
      [user, 'urn:latchkey:acr:password'],
    )
    // A session of the account with only the password, as one from before the factor.
    const settings = await stale.get(`${server.authUrl}/security`)
    expect(settings.text).toContain('Sign in again')
    expect(settings.document.querySelector('form[action="/security/passkeys"]')).toBeNull()
    const fields = fieldsOf(settings, '/logout')
    for (const [path, more] of [
      ['/security/totp/remove', {}],
      ['/security/recovery-codes', {}],
      ['/security/passkeys', { credential: '{}' }],
      ['/security/totp', { sealed: 'x', code: totp(secret, server.context.now()) }],
    ] as const) {
      const answer = await stale.post(server.authUrl + path, { ...fields, ...more })
      expect(answer.headers.get('location'), path).toBe('/step-up?page=security')
    }
    const strict = await server.partner({ requireAcr: 'urn:latchkey:acr:phishing-resistant' })
    const page = await authorize(stale, server, strict)
    const enrolment = await stale.post(`${server.authUrl}/step-up/passkey`, {
      ...fieldsOf(page, '/step-up'),
      credential: new SoftAuthenticator(server.authUrl).create({ challenge: 'x' }),
    })
    expect(new URL(enrolment.headers.get('location') ?? '', server.authUrl).pathname).toBe('/step-up')
    const rows = await query(server.database, 'SELECT FROM passkeys WHERE user_id = $1', [user])
    expect(rows).toEqual([])
  })

  test('by a passkey that an attacker with a phished password and code adds, where one is required', async () => {
    const { secret, strict } = await protectedOwner()
    const code = () => ({ method: 'totp', code: nextCode(server, secret) })
    const addOwnPasskey = async (thief: Visitor, page: Page, path: string) => {
      expect(new URL(page.url).pathname).toBe(path)
      expect(optionsOn(page, `${path}/passkey`)).toBeNull()
      const credential = new SoftAuthenticator(server.authUrl).create({ challenge: 'x' })
      const fields = { ...fieldsOf(page, path), credential }
      const answer = await thief.post(`${server.authUrl}${path}/passkey`, fields)
      expect(new URL(answer.headers.get('location') ?? '', server.authUrl).pathname).toBe(path)
    }
    const thief = new Visitor()
    const login = await authorize(thief, server, strict)
    const page = await thief.follow(await thief.submit(login, '/login', { email: emailOf(user), password }))
    await addOwnPasskey(thief, await thief.follow(await thief.submit(page, page2, code())), page2)
    const other = new Visitor()
    await other.submit(await passwordOnly(server, user, other), page2, code())
    await addOwnPasskey(other, await authorize(other, server, strict), '/step-up')
  })

  test('by changing the factors with a phished password and code, although the owner has a passkey', async () => {
    const { secret } = await protectedOwner()
    const attempt = await atSecondFactor()
    await sendCode(attempt, nextCode(server, secret))
    const settings = await attempt.visitor.get(`${server.authUrl}/security`)
    expect(optionsOn(settings, '/security/passkeys')).toBeNull()
    const [passkey] = await query<{ id: string }>(
      server.database,
      'SELECT id FROM passkeys WHERE user_id = $1',
      [user],
    )
    const fields = fieldsOf(settings, '/logout')
    for (const [path, more] of [
      ['/security/passkeys', { credential: '{}' }],
      ['/security/passkeys/remove', { id: passkey?.id ?? '' }],
      ['/security/totp/remove', {}],
      ['/security/recovery-codes', {}],
    ] as const) {
      const answer = await attempt.visitor.post(server.authUrl + path, { ...fields, ...more })
      expect(answer.headers.get('location'), path).toBe('/step-up?page=security')
    }
    const step = await attempt.visitor.get(`${server.authUrl}/step-up?page=security`)
    expect(optionsOn(step, '/step-up')).not.toBeNull()
    // Another code does not help.
    const again = { method: 'totp', code: nextCode(server, secret) }
    await attempt.visitor.submit(step, '/step-up', again)
    expect(
      optionsOn(await attempt.visitor.get(`${server.authUrl}/security`), '/security/passkeys'),
    ).toBeNull()
  })

  test('by a connect page from before the requirement', async () => {
    const visitor = await loggedIn(server, user)
    const page = await authorize(visitor, server, partner)
    expect(isConnectPage(page)).toBe(true)
    await query(server.database, `UPDATE roles SET require_acr = 'urn:latchkey:acr:two-factor'`)
    const answer = await visitor.follow(await visitor.submit(page, '/connect', { decision: 'connect' }))
    await query(server.database, `UPDATE roles SET require_acr = NULL`)
    expect(new URL(answer.url).pathname).toBe('/step-up')
    expect(await query(server.database, 'SELECT FROM grants WHERE user_id = $1', [user])).toEqual([])
  })

  test('by prompt=none with a session that is too weak', async () => {
    const strict = await server.partner()
    const visitor = await loggedIn(server, user)
    const page = await authorize(visitor, server, strict)
    await visitor.submit(page, '/connect', { decision: 'connect' })
    await query(server.database, 'UPDATE partners SET require_acr = $2 WHERE client_id = $1', [
      strict.clientId,
      'urn:latchkey:acr:two-factor',
    ])
    const answer = answerOf(strict, await authorize(visitor, server, strict, { prompt: 'none' }))
    expect(answer).toMatchObject({ error: 'login_required' })
  })

  test('by a form of another site, or without the CSRF token', async () => {
    const { secret } = await withTotp()
    const { visitor, page } = await atSecondFactor()
    const code = nextCode(server, secret)
    const headers = { origin: 'https://evil.example' }
    expect((await visitor.submit(page, page2, { code }, headers)).status).toBe(403)
    expect((await visitor.submit(page, page2, { code, _csrf: 'x' })).status).toBe(403)
    const owner = await loggedIn(server, users.pop() ?? '')
    for (const path of [
      '/security/passkeys',
      '/security/passkeys/remove',
      '/security/totp',
      '/security/totp/remove',
      '/security/recovery-codes',
      '/step-up',
    ]) {
      expect(
        (
          await owner.post(server.authUrl + path, {
            id: '1',
            method: 'totp',
            sealed: '',
            code: '',
            credential: '',
          })
        ).status,
        path,
      ).toBe(403)
    }
  })

  test('with the old session after the step-up: it has ended', async () => {
    const { secret } = await withTotp()
    const visitor = new Visitor()
    const page = await passwordOnly(server, user, visitor)
    await visitor.submit(page, page2, { method: 'totp', code: nextCode(server, secret) })
    await query(
      server.database,
      `UPDATE sessions SET acr = 'urn:latchkey:acr:password', amr = '{pwd}' WHERE user_id = $1`,
      [user],
    )
    const old = (await cookieOf(visitor, server, 'latchkey-session')) ?? ''
    const strict = await server.partner({ requireAcr: 'urn:latchkey:acr:two-factor' })
    const step = await authorize(visitor, server, strict)
    const done = await visitor.submit(step, '/step-up', { method: 'totp', code: nextCode(server, secret) })
    expect(done.status).toBe(303)
    const thief = new Visitor()
    await plant(thief, server, 'latchkey-session', old)
    expect(await isLoggedIn(thief, server)).toBe(false)
    expect(await isLoggedIn(visitor, server)).toBe(true)
  })

  test('after the operator has reset the factors: sessions and logins from before end', async () => {
    await withTotp()
    const session = await loggedIn(server, users.pop() ?? '')
    expect(await isLoggedIn(session, server)).toBe(true)
    const { visitor, page } = await atSecondFactor()
    const removed = await resetFactors(server.database, systemOrigin, user, false)
    expect(removed).toMatchObject({
      id: user,
      passkeys: 0,
      totp: true,
      recovery_codes: 10,
      sessions_ended: 1,
    })
    const answer = await visitor.submit(page, page2, { method: 'totp', code: '000000' })
    expect(answer.headers.get('location')).toBe('/login')
    expect((await passwordOnly(server, user)).url).toBe(`${server.authUrl}/connections`)
  })

  test('by a session from before the second factor that changes the password', async () => {
    const thief = await loggedIn(server, user)
    const form = await thief.get(`${server.authUrl}/password`)
    const { secret } = await withTotp()
    const fields = { current_password: password, new_password: 'violet harbour seldom tractor' }
    const refused = await thief.submit(form, '/password', fields)
    expect(refused.headers.get('location')).toBe('/step-up?page=password')
    const step = await thief.follow(await thief.get(`${server.authUrl}/password`))
    expect(new URL(step.url).pathname).toBe('/step-up')
    expect((await passwordOnly(server, user)).url).toContain(page2)
    const code = { method: 'totp', code: nextCode(server, secret) }
    const stronger = await thief.follow(await thief.submit(step, '/step-up', code))
    const changed = await thief.submit(stronger, '/password', fields)
    expect(changed.headers.get('location')).toBe('/password/changed')
  })

  test('by a login during which the operator disables the user: no session waits until the user is enabled', async () => {
    await withTotp()
    await query(server.database, 'DELETE FROM sessions WHERE user_id = $1', [user])
    // The user is disabled after the password was found right, and before the factors are looked up.
    const { maybe } = server.context.database
    const facts = vi.spyOn(server.context.database, 'maybe').mockImplementation(async (statement, values) => {
      if (statement.name === findFactorFacts.name) await setStatus('disabled')
      return maybe(statement, values)
    })
    const page = await passwordOnly(server, user)
    facts.mockRestore()
    await setStatus('active')
    expect(isLoginPage(page)).toBe(true)
    expect(await query(server.database, 'SELECT FROM sessions WHERE user_id = $1', [user])).toEqual([])
  })

  test('with a new password: the factors stay', async () => {
    const { secret } = await withTotp()
    await query(server.database, 'UPDATE users SET login_version = gen_random_uuid() WHERE id = $1', [user])
    const attempt = await atSecondFactor()
    expect((await sendCode(attempt, nextCode(server, secret))).status).toBe(303)
  })
})
