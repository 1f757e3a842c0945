import { describe, expect, test } from 'vitest'
import { emailOf, password, seed } from '../support/directory.ts'
import { serverFixture } from '../support/fixtures.ts'
import { authorize, logIn } from '../support/journey.ts'
import { disconnectPage, loggedIn } from '../support/pages.ts'
import { testServer } from '../support/server.ts'
import { fieldsOf, type Page, Visitor } from '../support/visitor.ts'

const server = await serverFixture({ users: ['ada', 'bob', 'cleo', 'dan', 'eve', 'finn'] })
const partner = await server.partner()

const press = (visitor: Visitor, page: Page, more: Record<string, string> = {}) =>
  visitor.submit(page, '/connect', { decision: 'connect', ...more })

describe('18: the name of a partner', () => {
  test.each(['<img src=x onerror=alert(1)>', '"><script>alert(1)</script>', '</bdi></h1><h1>', '&lt;b&gt;'])(
    '%j is shown as text, isolated from the words around it',
    async (name) => {
      const named = await server.partner({ name })
      const visitor = new Visitor()
      const login = await authorize(visitor, server, named)
      const page = await logIn(visitor, login, 'eve')
      // A title cannot contain markup. There, the isolate characters replace <bdi>.
      expect(page.document.querySelector('title')?.text).toContain(`\u2068${name}\u2069`)
      await press(visitor, page)
      const apps = await visitor.get(`${server.authUrl}/connections`)
      const confirmation = await disconnectPage(visitor, server)
      expect(confirmation.document.querySelector('title')?.text).toContain(`\u2068${name}\u2069`)
      for (const shown of [login, page, apps, confirmation]) {
        expect(
          shown.document.querySelector('img:not([src^="/assets/"]), body script, h1 h1, bdi b'),
        ).toBeNull()
        // The name is always alone in a <bdi>, so that its direction cannot affect the server's own words.
        const isolated = shown.document.querySelectorAll('bdi').map((element) => element.text)
        expect(isolated).toContain(name)
        const main = shown.document.querySelector('main')
        for (const element of main?.querySelectorAll('bdi') ?? []) element.remove()
        expect(main?.text).not.toContain(name)
      }
      await visitor.submit(confirmation, '/connections/disconnect', {})
    },
  )
})

describe('37: the headers of pages', () => {
  const expectPage = ({ headers }: { headers: Headers }, scriptSource?: string) => {
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/^default-src 'none'; /)
    expect(policy).not.toMatch(/unsafe|https?:\/\/\*| \*/)
    expect(/script-src ([^;]+)/.exec(policy)?.[1]).toBe(scriptSource)
    expect(policy).toContain("base-uri 'none'")
    expect(policy).toContain("form-action 'self'")
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('x-powered-by')).toBeNull()
  }

  test('every page, errors included: not stored, no inline anything, no sniffing, no referrer', async () => {
    const visitor = await loggedIn(server, 'ada')
    const connectPage = await authorize(visitor, server, partner)
    const login = await new Visitor().get(`${server.authUrl}/login`)
    const answer = await press(visitor, connectPage)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const pages = [
      connectPage,
      await visitor.get(`${server.authUrl}/password`),
      await visitor.get(`${server.authUrl}/password/changed`),
      await visitor.get(`${server.authUrl}/connect?request=x`),
      await visitor.get(`${server.authUrl}/api/oauth2/authorize`),
      await visitor.post(`${server.authUrl}/connect`, ''),
      await new Visitor().submit(login, '/login', { email: emailOf('ada'), password: 'wrong' }),
      await visitor.get(`${server.authUrl}/login?request=%zz`),
      await visitor.get(`${server.authUrl}/no-such-page`),
    ]
    for (const page of pages) {
      expectPage(page)
      expect(page.document.querySelector('style, [style], script, [onclick], [onload]')).toBeNull()
    }
    // These pages show times or use passkeys. Their only scripts are files of the server.
    for (const page of [
      login,
      await visitor.get(`${server.authUrl}/security`),
      await visitor.get(`${server.authUrl}/connections`),
      await disconnectPage(visitor, server),
      await visitor.get(`${server.authUrl}/sessions`),
    ]) {
      expectPage(page, "'self'")
      expect(page.document.querySelector('style, [style], [onclick], [onload]')).toBeNull()
      const scripts = page.document.querySelectorAll('script')
      expect(scripts.map((script) => script.text).join('')).toBe('')
      const script = await visitor.get(new URL(scripts[0]?.getAttribute('src') ?? '', page.url).href)
      expect([script.status, script.headers.get('content-type')]).toEqual([
        200,
        'text/javascript; charset=utf-8',
      ])
      expect(script.headers.get('x-content-type-options')).toBe('nosniff')
      expect(script.url).toMatch(new RegExp(`^${server.authUrl}/assets/[\\w-]{12}\\.js$`))
    }
    // Only the connect page may lead to another site, limited to the partner's scheme: the callback may redirect further.
    const formAction = /form-action ([^;]+)/.exec(
      connectPage.headers.get('content-security-policy') ?? '',
    )?.[1]
    expect(formAction).toBe("'self' https:")
    expect(login.headers.get('content-security-policy')).toContain("form-action 'self';")
  })

  test('cookies are HttpOnly and SameSite=Lax, and over plain http neither Secure nor __Host-', async () => {
    const visitor = new Visitor()
    const page = await visitor.get(`${server.authUrl}/login`)
    const done = await visitor.submit(page, '/login', { email: emailOf('ada'), password })
    const cookies = [...page.headers.getSetCookie(), ...done.headers.getSetCookie()]
    expect(cookies.map((cookie) => cookie.split('=')[0])).toEqual([
      'latchkey-csrf',
      'latchkey-session',
      'latchkey-browser',
    ])
    for (const cookie of cookies) {
      expect(cookie).toMatch(/; Path=\/(;|$)/)
      expect(cookie).toContain('; HttpOnly')
      expect(cookie).toContain('; SameSite=Lax')
      expect(cookie).not.toMatch(/Domain|Secure/)
    }
    expect(page.headers.get('strict-transport-security')).toBeNull()
  })

  test('on https: Secure cookies with the __Host- prefix, and HSTS', async () => {
    const https = await testServer({ authUrl: 'https://auth.example' })
    try {
      await seed(https.database, { users: [{ id: 'ada' }] })
      // Sends what the proxy in front, which ends TLS, would send.
      const url = new URL('/login', https.baseUrl).href
      const page = await new Visitor().get(url)
      expectPage(page, "'self'")
      expect(
        Number(/max-age=(\d+)/.exec(page.headers.get('strict-transport-security') ?? '')?.[1]),
      ).toBeGreaterThan(31_000_000)
      const [csrf = ''] = page.headers.getSetCookie()
      const cookie = csrf.split(';')[0] ?? ''
      const form = new URLSearchParams({ ...fieldsOf(page, '/login'), email: emailOf('ada'), password })
      const logInFrom = (origin: string, name = cookie) =>
        fetch(url, { method: 'POST', body: form, redirect: 'manual', headers: { cookie: name, origin } })
      const done = await logInFrom('https://auth.example')
      expect(done.status).toBe(303)
      const [session = '', browser = ''] = done.headers.getSetCookie()
      expect([csrf, session, browser].map((text) => text.split('=')[0])).toEqual([
        '__Host-latchkey-csrf',
        '__Host-latchkey-session',
        '__Host-latchkey-browser',
      ])
      for (const text of [csrf, session, browser]) {
        for (const part of ['Path=/', 'HttpOnly', 'Secure', 'SameSite=Lax'])
          expect(text.split('; ')).toContain(part)
        expect(text).not.toContain('Domain')
      }
      // A cookie from the same site over http, or one that a sibling host could plant, is not accepted.
      expect((await logInFrom('http://auth.example')).status).toBe(403)
      expect((await logInFrom('https://auth.example', cookie.replace('__Host-', ''))).status).toBe(403)
      const apps = (id: string) =>
        fetch(new URL('/connections', url), { redirect: 'manual', headers: { cookie: id } })
      const id = session.split(';')[0] ?? ''
      expect([(await apps(id)).status, (await apps(id.replace('__Host-', ''))).status]).toEqual([200, 303])
    } finally {
      await https.close()
    }
  })
})
