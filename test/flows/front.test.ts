import { describe, expect, test } from 'vitest'
import { tokensFor } from '../support/connection.ts'
import { serverFixture } from '../support/fixtures.ts'
import { loggedIn } from '../support/pages.ts'
import { redirectOf, Visitor } from '../support/visitor.ts'

const server = await serverFixture({ users: ['ada', 'bob'] })
const partner = await server.partner({ name: 'Ledger' })
await tokensFor(server, partner, 'ada')

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

describe('the front page', () => {
  test('leads a visitor to the login, and developers to the docs', async () => {
    const page = await new Visitor().get(`${server.authUrl}/`)
    expect(page.document.querySelector('main a.button')?.getAttribute('href')).toBe('/login')
    expect(page.document.querySelector(`main a[href="${server.baseUrl}docs"]`)).not.toBeNull()
    expect(page.document.querySelector('#operators')?.text).toContain('commands')
    expect(page.text).not.toContain('Ledger')
  })

  test('greets a logged-in user by name, with the connected apps', async () => {
    const page = await (await loggedIn(server, 'ada')).get(`${server.authUrl}/`)
    expect(page.document.querySelector('h1')?.text).toBe('Hello, User ada')
    expect(page.document.querySelectorAll('main li strong').map(({ text }) => text)).toEqual(['Ledger'])
    expect(page.document.querySelector('main a.button')?.getAttribute('href')).toBe('/connections')
  })

  test('says what would be there if no app is connected', async () => {
    const page = await (await loggedIn(server, 'bob')).get(`${server.authUrl}/`)
    expect(page.document.querySelector('main')?.text).toContain('No apps are connected.')
  })
})

describe('nothing that a person may open is a bare 404', () => {
  test.each([
    ['/login/', '/login'],
    ['/login/?page=password', '/login?page=password'],
    ['/connections/', '/connections'],
    ['/sessions/end', '/sessions'],
    ['/language', '/'],
    ['/signin', '/login'],
    ['/account', '/connections'],
    ['/admin', '/admin/login?next=%2Fadmin'],
    ['/developers', '/developers/login?next=%2Fdevelopers'],
    ['/docs', `${server.baseUrl}docs`],
    ['/.well-known/change-password', '/password'],
  ])('%s leads to %s', async (path, to) => {
    const answer = await new Visitor().get(server.authUrl + path, browser)
    expect(answer.status).toBe(303)
    expect(redirectOf(answer)?.href).toBe(new URL(to, server.authUrl).href)
  })

  test.each([
    ['/connect', 400, 'This link does not work'],
    ['/connections/disconnect', 400, 'This link does not work'],
    ['/no-such-page', 404, 'Page not found'],
    ['//evil.example/', 404, 'Page not found'],
    ['/api/oauth2/authorize', 400, 'We can’t complete this request'],
    ['/api/oauth2/token', 404, 'This address is for applications'],
    ['/oauth2/revoke', 404, 'This address is for applications'],
    ['/service-open-api/', 404, 'This address is for applications'],
    ['/service-open-api/oauth2/token', 405, 'This address is for applications'],
    ['/service-open-api/oauth2/nothing', 404, 'This address is for applications'],
    ['/service-open-api/api/v1/nothing', 404, 'This address is for applications'],
    ['/api/v2/', 404, 'This address is for applications'],
  ])('%s answers %i with a page: %s', async (path, status, heading) => {
    const page = await new Visitor().get(server.authUrl + path, browser)
    expect(page.status).toBe(status)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.document.querySelector('h1')?.text).toBe(heading)
  })

  test('programs get JSON at these addresses', async () => {
    for (const accept of ['*/*', 'application/json']) {
      const answer = await fetch(`${server.authUrl}/api/oauth2/token`, { headers: { accept } })
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
      expect(answer.headers.get('vary')).toBe('accept')
      const api = await fetch(`${server.baseUrl}api/v1/nothing`, { headers: { accept } })
      expect(api.headers.get('content-type')).toMatch(/^application\/problem\+json/)
    }
    const post = await fetch(`${server.authUrl}/api/oauth2/token`, { method: 'POST', headers: browser })
    expect(post.headers.get('content-type')).toMatch(/^application\/json/)
  })

  test('/robots.txt and /favicon.ico', async () => {
    const robots = await fetch(`${server.authUrl}/robots.txt`)
    expect(await robots.text()).toBe('User-agent: *\nAllow: /service-open-api/docs\nDisallow: /\n')
    const icon = await fetch(`${server.authUrl}/favicon.ico`)
    expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
  })
})
