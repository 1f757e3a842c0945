import { createRemoteJWKSet, jwtVerify } from 'jose'
import { expect } from 'vitest'
import { systemOrigin } from '../../../src/audit/origin.ts'
import { createPartner } from '../../../src/partners/partners.ts'
import { tokensFor } from '../connection.ts'
import { seed } from '../directory.ts'
import { addTotp, stepUpWithPasskey } from '../factors.ts'
import { claimsOf } from '../id-token.ts'
import { loggedIn } from '../pages.ts'
import { ask, type Checks, eachOf, listOf, type MetadataFixture } from './checks.ts'

/** Checks of the metadata about id_tokens: the issuer, the keys and the user's claims. */
export function idTokenChecks(fixture: MetadataFixture): Checks {
  const { server, partner, ada } = fixture
  const userinfo = async (url: unknown, accessToken: string, method = 'GET') => {
    const response = await fetch(String(url), { method, headers: { authorization: `Bearer ${accessToken}` } })
    return response.json()
  }

  return {
    issuer: async (value) => {
      expect(claimsOf((await tokensFor(server, partner, 'ada')).idToken).iss).toBe(value)
      const served = await (await fetch(`${value}/.well-known/openid-configuration`)).json()
      expect(served.issuer).toBe(value)
    },
    jwks_uri: async (value) => {
      const { keys } = await (await fetch(String(value))).json()
      for (const key of keys) {
        expect(key).toMatchObject({ use: 'sig', kid: expect.any(String), alg: expect.any(String) })
        for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'])
          expect(key).not.toHaveProperty(secret)
      }
      const { idToken } = await tokensFor(server, partner, 'ada')
      await jwtVerify(idToken, createRemoteJWKSet(new URL(String(value))), {
        issuer: server.authUrl,
        audience: partner.clientId,
      })
    },
    id_token_signing_alg_values_supported: eachOf(
      ['RS256', 'ES256'],
      async (alg) => {
        const own = await server.partner({ idTokenAlg: alg })
        const { idToken } = await tokensFor(server, own, 'ada')
        const keys = createRemoteJWKSet(new URL(`${server.authUrl}/.well-known/jwks.json`))
        expect((await jwtVerify(idToken, keys)).protectedHeader.alg).toBe(alg)
      },
      async () => {
        for (const idTokenAlg of ['none', 'HS256', 'PS256']) {
          const wanted = { name: 'P', redirectUris: ['https://p.example/'], requirePkce: false, idTokenAlg }
          expect((await createPartner(server.database, systemOrigin, 'sandbox', wanted)).kind).toBe('refused')
        }
      },
    ),
    subject_types_supported: listOf({
      pairwise: async () => {
        const other = await tokensFor(server, await server.partner(), 'ada')
        const [own, again] = [
          await tokensFor(server, partner, 'ada'),
          await tokensFor(server, partner, 'ada'),
        ]
        expect(claimsOf(again.idToken).sub).toBe(claimsOf(own.idToken).sub)
        expect(claimsOf(other.idToken).sub).not.toBe(claimsOf(own.idToken).sub)
      },
    }),
    acr_values_supported: eachOf(
      ['urn:latchkey:acr:password', 'urn:latchkey:acr:two-factor', 'urn:latchkey:acr:phishing-resistant'],
      async (acr) => {
        const user = `user-of-${acr.split(':').at(-1)}`
        await seed(server.database, { users: [user] })
        const visitor = await loggedIn(server, user)
        if (acr.endsWith('two-factor')) await addTotp(server, visitor)
        if (acr.endsWith('phishing-resistant')) await stepUpWithPasskey(server, visitor)
        const { idToken } = await tokensFor(server, partner, user, { visitor, more: { acr_values: acr } })
        expect(claimsOf(idToken).acr).toBe(acr)
      },
    ),
    claims_supported: async (value) => {
      const { idToken } = await tokensFor(server, partner, 'ada', { more: { nonce: 'n' } })
      expect([value].flat().sort()).toEqual(Object.keys(claimsOf(idToken)).sort())
    },
    claim_types_supported: listOf({
      normal: async () => {
        const { idToken, accessToken } = await tokensFor(server, partner, 'ada')
        for (const claims of [
          claimsOf(idToken),
          await userinfo(`${server.baseUrl}oauth2/userinfo`, accessToken),
        ]) {
          expect(claims).not.toHaveProperty('_claim_names')
          expect(claims).not.toHaveProperty('_claim_sources')
        }
      },
    }),
    userinfo_endpoint: async (value) => {
      const { idToken, accessToken } = await tokensFor(server, partner, 'ada')
      for (const method of ['GET', 'POST']) {
        expect(await userinfo(value, accessToken, method)).toEqual({ sub: claimsOf(idToken).sub })
      }
    },
    // Must be the last check, because it logs Ada out.
    end_session_endpoint: async (value) => {
      const { idToken } = await tokensFor(server, partner, 'ada')
      await ada.follow(await ada.get(`${value}?${new URLSearchParams({ id_token_hint: idToken })}`))
      const page = await ask(fixture, {})
      expect(page.document.querySelector('input[name=password]')).not.toBeNull()
    },
  }
}
