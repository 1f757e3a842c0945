import { beforeEach, describe, expect, test, vi } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { resetFactors } from '../../src/factors/reset-factors.ts'
import { findFactorFacts } from '../../src/login/factor-facts.sql.ts'
import { query } from '../support/database.ts'
import { emailOf, password } from '../support/directory.ts'
import { factorAttackFixture, factorPage } from '../support/factor-attacks.ts'
import { addPasskey, addTotp, nextCode, optionsOn, passwordOnly, totp } from '../support/factors.ts'
import { authorize } from '../support/journey.ts'
import { cookieOf, plant } from '../support/login.ts'
import { answerOf, isConnectPage, isLoginPage, loggedIn } from '../support/pages.ts'
import { isLoggedIn } from '../support/sessions.ts'
import { SoftAuthenticator } from '../support/soft-authenticator.ts'
import { fieldsOf, type Page, Visitor } from '../support/visitor.ts'

const { server, userOfTest, atSecondFactor, withTotp, setStatus, sendCode, nextUser } =
  await factorAttackFixture(20)
const partner = await server.partner()

/** A user who has no factor yet. */
let user = ''
beforeEach(() => {
  user = userOfTest()
})

/** The user with an app and a passkey, and a partner that requires a passkey. */
async function protectedOwner() {
  const owner = await loggedIn(server, user)
  const { secret } = await addTotp(server, owner)
  await addPasskey(server, owner, new SoftAuthenticator(server.authUrl))
  return { secret, strict: await server.partner({ requireAcr: 'urn:latchkey:acr:phishing-resistant' }) }
}

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
      const answer = await browser.post(server.authUrl + factorPage, fields)
      expect(await isLoggedIn(browser, server)).toBe(false)
      return answer.headers.get('location')
    }
    const flipped = `${sealed.slice(0, 60)}${sealed[60] === 'A' ? 'B' : 'A'}${sealed.slice(61)}`
    const authorization = new URL((await authorize(new Visitor(), server, partner)).url).searchParams.get(
      'request',
    )
    const challenge = Buffer.from(optionsOn(page, factorPage)?.challenge ?? '', 'base64url').toString()
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
    const stale = await loggedIn(server, nextUser())
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
    await addOwnPasskey(thief, await thief.follow(await thief.submit(page, factorPage, code())), factorPage)
    const other = new Visitor()
    await other.submit(await passwordOnly(server, user, other), factorPage, code())
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
    expect((await visitor.submit(page, factorPage, { code }, headers)).status).toBe(403)
    expect((await visitor.submit(page, factorPage, { code, _csrf: 'x' })).status).toBe(403)
    const owner = await loggedIn(server, nextUser())
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
    await visitor.submit(page, factorPage, { method: 'totp', code: nextCode(server, secret) })
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
    const session = await loggedIn(server, nextUser())
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
    const answer = await visitor.submit(page, factorPage, { method: 'totp', code: '000000' })
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
    expect((await passwordOnly(server, user)).url).toContain(factorPage)
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
