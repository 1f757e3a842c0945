import { expect } from 'vitest'
import { tokensFor } from '../connection.ts'
import { type Checks, listOf, type MetadataFixture } from './checks.ts'

/** Checks of the protected resource metadata (RFC 9728). */
export function resourceChecks({ server, partner }: MetadataFixture): Checks {
  const households = `${server.baseUrl}api/v1/households`
  const read = async (init: RequestInit = {}, query = '') => (await fetch(households + query, init)).status
  const bearer = async () => ({
    headers: { authorization: `Bearer ${(await tokensFor(server, partner, 'ada')).accessToken}` },
  })

  return {
    resource: async (value) => {
      expect(households.startsWith(String(value))).toBe(true)
      const challenge = (await fetch(households)).headers.get('www-authenticate')
      const { origin, pathname } = new URL(String(value))
      expect(challenge).toContain(
        `resource_metadata="${origin}/.well-known/oauth-protected-resource${pathname}"`,
      )
    },
    resource_name: async (value) => {
      const openapi = await (await fetch(`${server.baseUrl}openapi.json`)).json()
      expect(openapi.info.title).toBe(value)
    },
    authorization_servers: async (value) => {
      expect(value).toEqual([server.authUrl])
      expect(await read(await bearer())).toBe(200)
    },
    scopes_supported: listOf({ openid: async () => expect(await read(await bearer())).toBe(200) }),
    bearer_methods_supported: listOf(
      { header: async () => expect(await read(await bearer())).toBe(200) },
      async () => {
        const { accessToken } = await tokensFor(server, partner, 'ada')
        expect(await read({}, `?access_token=${accessToken}`)).toBe(401)
        const body = new URLSearchParams({ access_token: accessToken })
        expect(await read({ method: 'POST', body })).toBe(405)
      },
    ),
  }
}
