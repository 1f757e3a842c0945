import { beforeEach, describe, expect, test } from 'vitest'
import { query } from '../support/database.ts'
import { callbackOf, usualClaims } from '../support/forging-provider.ts'
import { textOf } from '../support/idp.ts'
import { idpAttackFixture } from '../support/idp-attacks.ts'
import { authorize } from '../support/journey.ts'
import { cookieOf, plant } from '../support/login.ts'
import { isConnectPage } from '../support/pages.ts'
import { isLoggedIn } from '../support/sessions.ts'
import { type Page, redirectOf, Visitor } from '../support/visitor.ts'

const {
  server,
  partner,
  provider,
  other,
  browserOfTest,
  flowCookies,
  login,
  expectRefused,
  reason,
  freshMetadata,
} = await idpAttackFixture()

let visitor: Visitor
beforeEach(() => {
  visitor = browserOfTest()
})

test('54: the honest login of these tests works', async () => {
  expect((await login()).status).toBe(303)
  expect(await isLoggedIn(visitor, server)).toBe(true)
})

describe('54: mix-up of two providers', () => {
  test('an answer of one provider at the address of the other is refused, and no code is sent', async () => {
    // Even if the other does not support `iss`, which would reveal the mix-up.
    other.metadata = { authorization_response_iss_parameter_supported: false }
    await freshMetadata('two')
    const callback = await callbackOf(server, 'one', visitor)
    callback.pathname = '/login/idp/two/callback'
    callback.searchParams.delete('iss')
    await expectRefused(await visitor.get(callback.href))
    expect(other.requested.get('/token')).toBeUndefined()
    other.metadata = {}
    await freshMetadata('two')
  })

  test('an answer with the iss of the other provider, or without iss, is refused, and no code is sent', async () => {
    for (const iss of [other.issuer, `${provider.issuer}/`, null]) {
      const callback = await callbackOf(server, 'one', visitor)
      if (iss === null) callback.searchParams.delete('iss')
      else callback.searchParams.set('iss', iss)
      await expectRefused(await visitor.get(callback.href))
    }
    expect(provider.requested.get('/token')).toBeUndefined()
  })

  test('an id_token of the other provider is refused', async () => {
    provider.issue = () => other.sign({ ...usualClaims(other.issuer) })
    await expectRefused(await login())
  })

  test('a provider cannot speak for users of a firm that is not its own', async () => {
    other.claims = { email: 'ada@example.com' }
    await expectRefused(await login('two'), 403)
    other.claims = { email: 'eve@example.com' }
    expect((await login('two')).status).toBe(303)
  })

  test('a provider cannot speak for addresses outside of its domains', async () => {
    await query(server.database, `INSERT INTO identity_provider_domains VALUES ('other.example', 'two')`)
    const callback = await callbackOf(server, 'two', visitor).catch(() => undefined)
    expect(callback, 'the domain decides, so there is no button').toBeUndefined()
    const start = await visitor.submit(await visitor.get(`${server.authUrl}/login`), '/login', {
      email: 'x@other.example',
    })
    const back = redirectOf(await visitor.get(redirectOf(start)?.href ?? ''))
    other.claims = { email: 'eve@example.com' }
    await expectRefused(await visitor.get(back?.href ?? ''), 403)
    await query(server.database, 'DELETE FROM identity_provider_domains')
  })
})

describe('54: the callback is bound to the browser', () => {
  test('planted callback: the login of an attacker does not end in the browser of a victim', async () => {
    const attacker = new Visitor()
    const callback = await callbackOf(server, 'one', attacker)
    await expectRefused(await visitor.get(callback.href))
    expect(provider.requested.get('/token')).toBeUndefined()
    // Not even if the victim has started a login as well.
    await callbackOf(server, 'one', visitor)
    await expectRefused(await visitor.get(callback.href))
    expect(provider.requested.get('/token')).toBeUndefined()
  })

  test('replayed state: a callback counts once, and its cookie is gone', async () => {
    const callback = await callbackOf(server, 'one', visitor)
    const [flow] = await flowCookies()
    expect((await visitor.get(callback.href)).status).toBe(303)
    expect(await flowCookies()).toEqual([])
    await query(server.database, 'DELETE FROM sessions')
    await expectRefused(await visitor.get(callback.href))
    // With the cookie restored, a code of another login has another nonce.
    await plant(visitor, server, flow?.key ?? '', flow?.value ?? '')
    const later = await callbackOf(server, 'one', new Visitor())
    callback.searchParams.set('code', later.searchParams.get('code') ?? '')
    await expectRefused(await visitor.get(callback.href))
    expect(reason()).toContain('nonce')
  })

  test('one flow cookie drives no more than 100 failed callbacks from a source, and honest logins are not counted', async () => {
    await login()
    const callback = await callbackOf(server, 'one', visitor)
    const [flow] = await flowCookies()
    const again = async (code: string) => {
      await plant(visitor, server, flow?.key ?? '', flow?.value ?? '')
      callback.searchParams.set('code', code)
      return visitor.get(callback.href)
    }
    await query(server.database, 'DELETE FROM login_failures')
    await query(server.database, 'DELETE FROM sessions')
    await again('wrong')
    const counted = () => query<{ count: number }>(server.database, 'SELECT count FROM login_failures')
    expect(await counted()).toEqual([{ count: 1 }])
    expect((await login()).status).toBe(303)
    expect(await counted()).toEqual([{ count: 1 }])

    await query(server.database, 'UPDATE login_failures SET count = 98')
    await query(server.database, 'DELETE FROM sessions')
    const before = provider.requested.get('/token') ?? 0
    const answers: Page[] = []
    for (let round = 0; round < 3; round++) answers.push(await again(`wrong-${round}`))
    const last = await again('wrong-3')
    expect([...answers, last].map(({ status }) => status)).toEqual([400, 400, 429, 429])
    expect((provider.requested.get('/token') ?? 0) - before).toBe(2)
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(textOf(last)).toContain('Too many attempts')
    // The limit is for callbacks that belong to a flow: others send no request, and passwords have limits of their own.
    expect((await visitor.get(`${server.authUrl}/login/idp/one/callback?state=x&code=y`)).status).toBe(400)
    await query(server.database, 'DELETE FROM login_failures')
  })

  test('foreign state: of another flow, changed, missing, or with another request inside', async () => {
    const page = await authorize(visitor, server, partner)
    const start = redirectOf(await visitor.submit(page, '/login/idp/one', {}))
    const callback = redirectOf(await visitor.get(start?.href ?? ''))
    const state = callback?.searchParams.get('state') ?? ''
    const [slot = '', mac = '', ...carried] = state.split('.')
    const elsewhere = await authorize(new Visitor(), server, partner, { state: 'of an attacker' })
    const swapped = new URLSearchParams({ request: new URL(elsewhere.url).searchParams.get('request') ?? '' })
    const states = [
      '',
      `${slot}.${mac}.`,
      `${slot}.${'A'.repeat(22)}.${carried.join('.')}`,
      `${(Number(slot) + 1) % 4}.${mac}.${carried.join('.')}`,
      `${slot}.${mac}.${swapped}`,
      `9.${state.slice(2)}`,
    ]
    for (const forged of states) {
      const address = new URL(callback?.href ?? '')
      address.searchParams.set('state', forged)
      await expectRefused(await visitor.get(address.href))
    }
    expect(provider.requested.get('/token')).toBeUndefined()
    // The genuine answer still counts.
    expect(isConnectPage(await visitor.follow(await visitor.get(callback?.href ?? '')))).toBe(true)
  })

  test('a forged cookie, and a cookie of another purpose, are no flow', async () => {
    const page = await authorize(visitor, server, partner)
    const request = new URL(page.url).searchParams.get('request') ?? ''
    const callback = await callbackOf(server, 'one', visitor)
    const [flow] = await flowCookies()
    for (const value of ['x', request, `${flow?.value}x`]) {
      await plant(visitor, server, flow?.key ?? '', value)
      await expectRefused(await visitor.get(callback.href))
    }
  })

  test('the parameters of a callback cannot be sent twice', async () => {
    const callback = await callbackOf(server, 'one', visitor)
    for (const name of ['code', 'state', 'iss']) {
      await expectRefused(await visitor.get(`${callback.href}&${name}=x`))
    }
  })

  test('the provider gets nothing of the form but the state', async () => {
    const callback = await callbackOf(server, 'one', visitor)
    expect(callback.searchParams.get('state')).toMatch(/^[0-3]\.[\w-]{22}\.$/)
  })

  test('a login is started by a form of our own only', async () => {
    const page = await visitor.get(`${server.authUrl}/login?choose=account`)
    expect((await visitor.post(`${server.authUrl}/login/idp/one`, {})).status).toBe(403)
    const foreign = { origin: 'https://evil.example' }
    expect((await visitor.submit(page, '/login/idp/one', {}, foreign)).status).toBe(403)
    expect(await flowCookies()).toEqual([])
  })

  test('the session cookie that an attacker planted is replaced', async () => {
    await plant(visitor, server, 'latchkey-session', 'planted')
    expect((await login()).status).toBe(303)
    expect(await cookieOf(visitor, server, 'latchkey-session')).not.toBe('planted')
  })
})
