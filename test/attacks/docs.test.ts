import { describe, expect, test } from 'vitest'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { interruptibleDatabase } from '../support/interruptible-database.ts'
import { type Page, Visitor } from '../support/visitor.ts'

const database = await databaseFixture(interruptibleDatabase)
const server = await serverFixture({ on: database })
const docs = `${server.baseUrl}docs`

const markup = `"'><img src=x onerror=alert(1)><script>alert(1)</script></title>&lt;`

describe('70: markup in a request is reflected by the docs as text', () => {
  test.each([
    ['a search', `${docs}/search?q=${encodeURIComponent(markup)}`, 200],
    ['an address', `${docs}/${encodeURIComponent(markup)}`, 404],
    ['an error code', `${docs}/errors/${encodeURIComponent(markup)}`, 404],
    ['a query twice', `${docs}/search?q=${encodeURIComponent(markup)}&q=2`, 200],
    ['a malformed query', `${docs}/search?q=%zz${encodeURIComponent(markup)}`, 400],
  ])('%s', async (_name, address, status) => {
    const page = await new Visitor().get(address)
    expect(page.status).toBe(status)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.document.querySelector('img, [onerror], style, [style]')).toBeNull()
    const scripts = page.document.querySelectorAll('script')
    expect(scripts.map((script) => script.text)).toEqual([''])
    expect(page.text).not.toContain('<script>')
  })

  test('the search shows the whole query, and puts it back into the field', async () => {
    const page = await new Visitor().get(`${docs}/search?q=${encodeURIComponent(markup)}`)
    expect(page.document.querySelector('input[name=q]')?.getAttribute('value')).toBe(markup)
    expect(page.document.querySelector('h1 bdi')?.text).toBe(markup)
  })

  test('a path that a redirect could turn into another host', async () => {
    for (const path of ['//evil.example/', '/%2fevil.example/', '/\\evil.example/', '/.//evil.example//']) {
      const page = await new Visitor().get(docs + path)
      expect([path, new URL(page.headers.get('location') ?? '/', docs).origin]).toEqual([
        path,
        server.authUrl,
      ])
    }
  })
})

describe('71: the docs in a frame, or as a way to a session', () => {
  const expectProtected = ({ headers, url }: Page) => {
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy, url).toMatch(/^default-src 'none'; /)
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("base-uri 'none'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.getSetCookie()).toEqual([])
  }

  test('no page can be framed, and none sets a cookie', async () => {
    const visitor = new Visitor()
    await visitor.get(`${server.authUrl}/login`) // has set a cookie
    for (const path of [
      '',
      '/quick-start',
      '/reference',
      '/errors',
      '/errors/invalid_grant',
      '/search?q=a',
      '/x',
    ]) {
      expectProtected(await visitor.get(docs + path))
    }
    expectProtected(await visitor.post(docs, ''))
    expectProtected(await visitor.get(`${docs}/search?q=%zz`))
  })

  test('other methods are refused, before the body is read', async () => {
    for (const path of ['', '/quick-start', '/search', '/nowhere']) {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const answer = await fetch(docs + path, { method, ...(method !== 'OPTIONS' && { body: 'x' }) })
        expect([method, path, answer.status, answer.headers.get('allow')]).toEqual([
          method,
          path,
          405,
          'GET, HEAD',
        ])
      }
    }
  })
})

test('39: the docs are served while the database is away', async () => {
  await database.cut()
  try {
    for (const path of ['', '/quick-start', '/errors/unavailable', '/search?q=refresh']) {
      expect((await fetch(docs + path)).status).toBe(200)
    }
  } finally {
    await database.heal()
  }
})
