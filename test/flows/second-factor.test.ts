import { beforeEach, describe, expect, test } from 'vitest'
import { query } from '../support/database.ts'
import { emailOf, password, seed } from '../support/directory.ts'
import { addPasskey, addTotp, codesOn, keyOn, nextCode, optionsOn, passwordOnly } from '../support/factors.ts'
import { serverFixture } from '../support/fixtures.ts'
import { claimsOf } from '../support/id-token.ts'
import { authorize, token } from '../support/journey.ts'
import { cookieOf } from '../support/login.ts'
import { answerOf, isConnectPage, isLoginPage, loggedIn } from '../support/pages.ts'
import type { TestPartner } from '../support/server.ts'
import { isLoggedIn } from '../support/sessions.ts'
import { SoftAuthenticator } from '../support/soft-authenticator.ts'
import { type Page, Visitor } from '../support/visitor.ts'

const server = await serverFixture({ host: 'localhost' })
const partner = await server.partner()
const users = Array.from({ length: 16 }, (_, number) => `user-${number}`)
await seed(server.database, { users })

/** A user who has no factor yet. */
let user = ''
beforeEach(() => {
  user = users.pop() ?? ''
})

const twoFactor = 'urn:latchkey:acr:two-factor'
const phishingResistant = 'urn:latchkey:acr:phishing-resistant'
const recoveryCode = 'urn:latchkey:amr:recovery-code'

/** Presses Connect. @returns the claims of the id_token, and the access token */
async function connectOn(visitor: Visitor, page: Page, to: TestPartner = partner) {
  expect(isConnectPage(page), page.text).toBe(true)
  const { code = '' } = answerOf(to, await visitor.submit(page, '/connect', { decision: 'connect' }))
  const { body } = await token(server, to, { grant_type: 'authorization_code', code })
  const { acr, amr, auth_time: authTime } = claimsOf(String(body.id_token))
  return { acr, amr, authTime, accessToken: String(body.access_token) }
}

describe('an authenticator app', () => {
  test('is set up on the page Security, which shows the codes once', async () => {
    const visitor = await loggedIn(server, user)
    const { codes } = await addTotp(server, visitor)
    expect(codes).toHaveLength(10)
    expect(new Set(codes).size).toBe(10)
    const page = await visitor.get(`${server.authUrl}/security`)
    expect(page.text).toContain('Your app is set up.')
    expect(page.text).toContain('10 codes are left.')
    expect(page.text).not.toContain(codes[0])
    const [stored] = await query(server.database, 'SELECT * FROM totp_secrets WHERE user_id = $1', [user])
    expect(JSON.stringify(stored)).not.toMatch(/[A-Z2-7]{32}/)
  })

  test('is asked for after the password, before there is a session; the id_token says so', async () => {
    const { secret } = await addTotp(server, await loggedIn(server, user))
    const visitor = new Visitor()
    const first = await authorize(visitor, server, partner)
    const page = await visitor.follow(
      await visitor.submit(first, '/login', {
        email: `${user}@example.com`,
        password: 'correct horse battery staple',
      }),
    )
    expect(new URL(page.url).pathname).toBe('/login/second-factor')
    expect(await cookieOf(visitor, server, 'latchkey-session')).toBeUndefined()
    expect(await isLoggedIn(visitor, server)).toBe(false)
    const wrong = await visitor.submit(page, '/login/second-factor', { code: '000000' })
    expect(wrong.status).toBe(403)
    expect(wrong.text).toContain('This code is wrong')
    const next = await visitor.follow(
      await visitor.submit(wrong, '/login/second-factor', { code: nextCode(server, secret) }),
    )
    expect(await connectOn(visitor, next)).toMatchObject({ acr: twoFactor, amr: ['pwd', 'otp', 'mfa'] })
    expect(await cookieOf(visitor, server, 'latchkey-login')).toBeUndefined()
  })

  test('is removed, and the recovery codes with it', async () => {
    const visitor = await loggedIn(server, user)
    await addTotp(server, visitor)
    await visitor.submit(await visitor.get(`${server.authUrl}/security`), '/security/totp/remove', {})
    const page = await visitor.get(`${server.authUrl}/security`)
    expect(page.text).toContain('You get recovery codes when you add')
    expect((await passwordOnly(server, user)).url).toBe(`${server.authUrl}/connections`)
    expect(await query(server.database, 'SELECT FROM recovery_codes WHERE user_id = $1', [user])).toEqual([])
  })
})

test('a recovery code logs in, once, typed as people type; new codes end the old', async () => {
  const { codes } = await addTotp(server, await loggedIn(server, user))
  const [first = '', second = ''] = codes
  const enter = async (code: string) => {
    const visitor = new Visitor()
    const page = await passwordOnly(server, user, visitor)
    const fields = { method: 'recovery_code', code }
    return { visitor, page: await visitor.submit(page, '/login/second-factor', fields) }
  }
  const { visitor, page } = await enter(` ${first.toLowerCase().replaceAll('-', ' ')}`)
  expect(page.status).toBe(303)
  const connected = await connectOn(visitor, await authorize(visitor, server, partner))
  expect(connected).toMatchObject({ acr: twoFactor, amr: ['pwd', recoveryCode, 'mfa'] })
  expect((await enter(first)).page.status).toBe(403)
  const renewed = await visitor.submit(
    await visitor.get(`${server.authUrl}/security`),
    '/security/recovery-codes',
    {},
  )
  expect((await enter(second)).page.status).toBe(403)
  expect((await enter(codesOn(renewed)[9] ?? '')).page.status).toBe(303)
})

describe('a passkey', () => {
  test('logs in alone, and as the second factor', async () => {
    const device = new SoftAuthenticator(server.authUrl)
    const added = await addPasskey(server, await loggedIn(server, user), device)
    expect(codesOn(added)).toHaveLength(10)
    const alone = new Visitor()
    const login = await authorize(alone, server, partner)
    const credential = device.get(optionsOn(login, '/login/passkey'))
    const next = await alone.follow(await alone.submit(login, '/login/passkey', { credential }))
    expect(await connectOn(alone, next)).toMatchObject({
      acr: phishingResistant,
      amr: ['pop', 'user', 'mfa'],
    })

    const second = new Visitor()
    const page = await passwordOnly(server, user, second)
    const answer = device.get(optionsOn(page, '/login/second-factor'))
    expect((await second.submit(page, '/login/second-factor', { credential: answer })).status).toBe(303)
    const connected = await connectOn(second, await authorize(second, server, partner))
    expect(connected).toMatchObject({ acr: phishingResistant, amr: ['pwd', 'pop', 'user', 'mfa'] })
  })

  test('has a name, and is removed', async () => {
    const visitor = await loggedIn(server, user)
    const device = new SoftAuthenticator(server.authUrl)
    await addPasskey(server, visitor, device)
    const page = await visitor.get(`${server.authUrl}/security`)
    expect(page.text).toContain('Test device')
    // The session is recent, but has not proved the passkey.
    const confirm = await visitor.follow(await visitor.get(`${server.authUrl}/step-up?page=security`))
    const credential = device.get(optionsOn(confirm, '/step-up'))
    const settings = await visitor.follow(await visitor.submit(confirm, '/step-up', { credential }))
    await visitor.submit(settings, '/security/passkeys/remove', {})
    expect((await visitor.get(`${server.authUrl}/security`)).text).toContain('You have no passkey.')
  })
})

describe('a requirement', () => {
  test('of the role makes a user without a factor set one up before the session', async () => {
    await query(
      server.database,
      `INSERT INTO roles (name, sees, require_acr) VALUES ('strict', 'firm', $1)`,
      [twoFactor],
    )
    await query(server.database, `UPDATE users SET role = 'strict' WHERE id = $1`, [user])
    const visitor = new Visitor()
    const page = await passwordOnly(server, user, visitor)
    expect(page.text).toContain('Set up a second factor')
    expect(await isLoggedIn(visitor, server)).toBe(false)
    const secret = keyOn(page)
    const mistyped = await visitor.submit(page, '/login/second-factor/totp', { code: '000000' })
    expect(mistyped.status).toBe(403)
    expect(keyOn(mistyped)).toBe(secret)
    const done = await visitor.submit(mistyped, '/login/second-factor/totp', {
      code: nextCode(server, secret),
    })
    expect(codesOn(done)).toHaveLength(10)
    expect(await isLoggedIn(visitor, server)).toBe(true)
    const connected = await connectOn(visitor, await authorize(visitor, server, partner))
    expect(connected).toMatchObject({ acr: twoFactor })
  })

  test('for a passkey is met by a passkey that the user adds after the code of the app', async () => {
    const { secret } = await addTotp(server, await loggedIn(server, user))
    const strict = await server.partner({ requireAcr: phishingResistant })
    const visitor = new Visitor()
    const first = await authorize(visitor, server, strict)
    const page = await visitor.follow(
      await visitor.submit(first, '/login', {
        email: `${user}@example.com`,
        password: 'correct horse battery staple',
      }),
    )
    expect(page.text).not.toContain('Set up a second factor') // not with the password alone
    const enrol = await visitor.follow(
      await visitor.submit(page, '/login/second-factor', { code: nextCode(server, secret) }),
    )
    expect(enrol.text).toContain('A passkey is needed to continue.')
    const device = new SoftAuthenticator(server.authUrl)
    const credential = device.create(optionsOn(enrol, '/login/second-factor/passkey'))
    const use = await visitor.follow(
      await visitor.submit(enrol, '/login/second-factor/passkey', { credential }),
    )
    expect(await isLoggedIn(visitor, server)).toBe(false)
    const answer = device.get(optionsOn(use, '/login/second-factor'))
    const next = await visitor.follow(
      await visitor.submit(use, '/login/second-factor', { credential: answer }),
    )
    const connected = await connectOn(visitor, next, strict)
    expect(connected).toMatchObject({ acr: phishingResistant, amr: ['pwd', 'otp', 'mfa', 'pop', 'user'] })
  })

  test('of the partner steps an open session up, with the second factor only', async () => {
    const visitor = await loggedIn(server, user)
    const strict = await server.partner({ requireAcr: twoFactor })
    const before = await connectOn(visitor, await authorize(visitor, server, partner))
    const { secret } = await addTotp(server, await loggedIn(server, user))
    const page = await authorize(visitor, server, strict)
    expect(new URL(page.url).pathname).toBe('/step-up')
    expect(isLoginPage(page)).toBe(false)
    const next = await visitor.follow(
      await visitor.submit(page, '/step-up', { code: nextCode(server, secret) }),
    )
    const connected = await connectOn(visitor, next, strict)
    // The password was typed before: the time of authentication is still that.
    expect(connected).toMatchObject({ acr: twoFactor, amr: ['pwd', 'otp', 'mfa'], authTime: before.authTime })
  })

  test('that the user leaves gives the partner unmet_authentication_requirements', async () => {
    const strict = await server.partner({ requireAcr: twoFactor })
    const visitor = await loggedIn(server, user)
    const page = await authorize(visitor, server, strict, { state: 'kept' })
    expect(page.text).toContain('Set up a second factor')
    const answer = answerOf(strict, await visitor.submit(page, '/step-up/leave', {}))
    expect(answer).toMatchObject({ error: 'unmet_authentication_requirements', state: 'kept' })
  })
})

describe('a user who has lost the passkey', () => {
  test('and has an app adds a new one with a recovery code, for a partner that requires one', async () => {
    const owner = await loggedIn(server, user)
    const { secret, codes } = await addTotp(server, owner)
    await addPasskey(server, owner, new SoftAuthenticator(server.authUrl))
    const strict = await server.partner({ requireAcr: phishingResistant })
    const visitor = new Visitor()
    const login = await authorize(visitor, server, strict)
    const fields = { email: emailOf(user), password }
    const page = await visitor.follow(await visitor.submit(login, '/login', fields))
    const code = { method: 'totp', code: nextCode(server, secret) }
    const stuck = await visitor.follow(await visitor.submit(page, '/login/second-factor', code))
    expect(stuck.text).toContain('Lost your device?')
    const recovery = { method: 'recovery_code', code: codes[0] ?? '' }
    const enrol = await visitor.follow(await visitor.submit(stuck, '/login/second-factor', recovery))
    expect(enrol.text).toContain('Lost your passkey? Add a new one.')
    const device = new SoftAuthenticator(server.authUrl)
    const credential = device.create(optionsOn(enrol, '/login/second-factor/passkey'))
    const use = await visitor.follow(
      await visitor.submit(enrol, '/login/second-factor/passkey', { credential }),
    )
    const answer = { credential: device.get(optionsOn(use, '/login/second-factor')) }
    const next = await visitor.follow(await visitor.submit(use, '/login/second-factor', answer))
    expect(await connectOn(visitor, next, strict)).toMatchObject({ acr: phishingResistant })
  })

  test('removes it with a recovery code, also in an open session', async () => {
    const owner = await loggedIn(server, user)
    const codes = codesOn(await addPasskey(server, owner, new SoftAuthenticator(server.authUrl)))
    const page = await owner.get(`${server.authUrl}/step-up?page=security`)
    const recovery = { method: 'recovery_code', code: codes[0] ?? '' }
    const settings = await owner.follow(await owner.submit(page, '/step-up', recovery))
    await owner.submit(settings, '/security/passkeys/remove', {})
    expect((await owner.get(`${server.authUrl}/security`)).text).toContain('You have no passkey.')
  })
})

describe('acr_values', () => {
  test('is voluntary: a user without a factor connects with the password', async () => {
    const visitor = await loggedIn(server, user)
    const page = await authorize(visitor, server, partner, { acr_values: twoFactor })
    expect(await connectOn(visitor, page)).toMatchObject({ acr: 'urn:latchkey:acr:password', amr: ['pwd'] })
  })

  test('offers a stronger factor once, which the user can decline', async () => {
    const visitor = await loggedIn(server, user)
    const { secret } = await addTotp(server, visitor)
    const device = new SoftAuthenticator(server.authUrl)
    await addPasskey(server, visitor, device)
    const other = new Visitor()
    const page = await passwordOnly(server, user, other)
    await other.submit(page, '/login/second-factor', { method: 'totp', code: nextCode(server, secret) })
    const offered = await authorize(other, server, partner, { acr_values: `urn:other ${phishingResistant}` })
    expect(offered.text).toContain('Continue without')
    const declined = await other.follow(await other.submit(offered, '/step-up/leave', {}))
    expect(await connectOn(other, declined)).toMatchObject({ acr: twoFactor })
    const again = await authorize(other, server, partner, { acr_values: phishingResistant })
    const credential = device.get(optionsOn(again, '/step-up'))
    const next = await other.follow(await other.submit(again, '/step-up', { credential }))
    expect(await connectOn(other, next)).toMatchObject({ acr: phishingResistant })
  })
})

test('after ten minutes, a change on the page Security needs another login', async () => {
  const visitor = await loggedIn(server, user)
  const page = await visitor.get(`${server.authUrl}/security/totp`)
  server.advanceClock(601)
  const secret = keyOn(page)
  const late = await visitor.submit(page, '/security/totp', { code: nextCode(server, secret) })
  expect(late.headers.get('location')).toBe('/login?page=security')
  expect((await visitor.get(`${server.authUrl}/security`)).text).toContain('Sign in again')
  expect(await query(server.database, 'SELECT FROM totp_secrets WHERE user_id = $1', [user])).toEqual([])
})
