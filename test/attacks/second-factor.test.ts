import { beforeEach, describe, expect, test } from 'vitest'
import { query } from '../support/database.ts'
import { factorAttackFixture, factorPage } from '../support/factor-attacks.ts'
import { addTotp, nextCode, optionsOn, passwordOnly, totp } from '../support/factors.ts'
import { loggedIn } from '../support/pages.ts'
import { isLoggedIn } from '../support/sessions.ts'
import { type Deviation, SoftAuthenticator } from '../support/soft-authenticator.ts'
import { Visitor } from '../support/visitor.ts'

const { server, userOfTest, atSecondFactor, withTotp, withPasskey, sendCode, nextUser } =
  await factorAttackFixture(20)

/** A user who has no factor yet. */
let user = ''
beforeEach(() => {
  user = userOfTest()
})

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
    const { challenge } = optionsOn(page, factorPage)
    expect(await loginStatus(device, { challenge })).toBe(403)
    const login = await visitor.get(`${server.authUrl}/login`)
    const ofLogin = device.get(optionsOn(page, factorPage), optionsOn(login, '/login/passkey'))
    expect((await visitor.submit(page, factorPage, { credential: ofLogin })).status).toBe(403)
    const stale = optionsOn(await new Visitor().get(`${server.authUrl}/login`), '/login/passkey').challenge
    server.advanceClock(601)
    expect(await loginStatus(device, { challenge: stale })).toBe(403)
  })

  test('of another user, or made for another login of the same user, is no second factor', async () => {
    const device = await withPasskey()
    const stranger = await withPasskey(nextUser())
    const mine = await atSecondFactor()
    const credential = stranger.get(optionsOn(mine.page, factorPage))
    expect((await mine.visitor.submit(mine.page, factorPage, { credential })).status).toBe(403)
    const elsewhere = await atSecondFactor()
    const phished = device.get(optionsOn(elsewhere.page, factorPage))
    expect((await mine.visitor.submit(mine.page, factorPage, { credential: phished })).status).toBe(403)
    expect((await elsewhere.visitor.submit(elsewhere.page, factorPage, { credential: phished })).status).toBe(
      303,
    )
  })

  test('that belongs to somebody else already, or is registered twice, is not stored', async () => {
    const device = await withPasskey()
    const thief = await loggedIn(server, nextUser())
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
    const stranger = await withTotp(nextUser())
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
    expect((await visitor.submit(page, factorPage, fields)).status).toBe(303)
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
      Array.from({ length: 8 }, () => visitor.submit(page, factorPage, fields)),
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
  expect((await visitor.submit(page, factorPage, { ...fields, code: codes[4] ?? '' })).status).toBe(429)
})
