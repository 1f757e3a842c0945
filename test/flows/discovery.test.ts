import { describe, expect, test } from 'vitest'
import { serverFixture } from '../support/fixtures.ts'

const server = await serverFixture()

const documents = [
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-protected-resource/service-open-api/',
  '/.well-known/jwks.json',
]

const get = (path: string, headers: Record<string, string> = {}) => fetch(server.authUrl + path, { headers })

describe.each(documents)('%s', (path) => {
  test('is public JSON that caches may keep and scripts of any origin may read', async () => {
    const answer = await get(path, { origin: 'https://app.example' })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
    expect(answer.headers.get('set-cookie')).toBeNull()
    expect(answer.headers.get('cache-control')).toBe(
      `public, max-age=${path.endsWith('jwks.json') ? 300 : 3600}`,
    )
  })

  test('is 304 for a client that has the current version', async () => {
    const etag = (await get(path)).headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[\w-]{43}"$/)
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const answer = await get(path, { 'if-none-match': known })
      expect(answer.status).toBe(304)
      expect(answer.headers.get('etag')).toBe(etag)
      expect(await answer.text()).toBe('')
    }
    expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200)
  })
})

test('RFC 8414 and OpenID Connect Discovery: one document at both addresses', async () => {
  const [openid, oauth] = await Promise.all(
    documents.slice(0, 2).map(async (path) => (await get(path)).text()),
  )
  expect(openid).toBe(oauth)
})

test('a client can find the authorization server from a 401 of the API alone (RFC 9728)', async () => {
  const refused = await fetch(`${server.baseUrl}api/v1/households`)
  const challenge = refused.headers.get('www-authenticate') ?? ''
  const address = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? ''
  const resource = await (await fetch(address)).json()
  // RFC 9728 section 3.3: clients ignore the document unless its `resource` matches the URL that led to it.
  const { origin, pathname } = new URL(resource.resource)
  expect(`${origin}/.well-known/oauth-protected-resource${pathname}`).toBe(address)
  expect(refused.url.startsWith(resource.resource)).toBe(true)
  const [issuer] = resource.authorization_servers
  const metadata = await (await fetch(`${issuer}/.well-known/oauth-authorization-server`)).json()
  expect(metadata.issuer).toBe(issuer) // RFC 8414 section 3.3
})
