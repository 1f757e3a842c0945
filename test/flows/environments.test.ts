import { describe, expect, test } from 'vitest'
import { codeFor, tokensFor } from '../support/connection.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api, authorize, authorizeUrl, refresh, token } from '../support/journey.ts'
import type { TestPartner, TestServer } from '../support/server.ts'
import { Visitor } from '../support/visitor.ts'

type Side = { name: 'sandbox' | 'production'; server: TestServer; partner: TestPartner }

async function open(name: Side['name']): Promise<Side> {
  const server = await serverFixture({
    environment: name,
    secret: `the secret of the ${name}, 32 bytes or more`,
    users: ['ann'],
    households: [`household-of-${name}`],
  })
  return { name, server, partner: await server.partner() }
}

const sides: Record<string, Side> = { sandbox: await open('sandbox'), production: await open('production') }

function at(name: string): Side {
  const side = sides[name]
  if (!side) throw new Error(`no ${name}`)
  return side
}

const redeemed = ({ server, partner }: Side) => tokensFor(server, partner, 'ann')

describe.each([
  ['sandbox', 'production'],
  ['production', 'sandbox'],
])('credentials of %s, sent to %s', (home, away) => {
  const belongs = `belongs to ${home}. This server is ${away}.`

  test('a client_id gets an error page that names both environments, and no redirect', async () => {
    const visitor = new Visitor()
    const page = await visitor.post(authorizeUrl(at(away).server, at(home).partner, { state: 'x' }), '')
    expect(page.status).toBe(400)
    expect(page.headers.get('location')).toBeNull()
    expect(page.document.querySelector('.fault')?.text).toContain(
      `The client_id belongs to the ${home} environment. This is the ${away} environment.`,
    )
  })

  test('client credentials get invalid_client', async () => {
    const params = { grant_type: 'refresh_token', refresh_token: 'any' }
    const { status, body } = await token(at(away).server, at(home).partner, params)
    expect({ status, body }).toMatchObject({
      status: 401,
      body: { error: 'invalid_client', error_description: `This client_id ${belongs}` },
    })
  })

  test('a client_secret with the right client_id gets invalid_client', async () => {
    const mixed = { ...at(away).partner, clientSecret: at(home).partner.clientSecret }
    const { refreshToken } = await redeemed(at(away))
    const { status, body } = await refresh(at(away).server, mixed, refreshToken)
    expect({ status, body }).toMatchObject({
      status: 401,
      body: { error: 'invalid_client', error_description: `This client secret ${belongs}` },
    })
    expect((await refresh(at(away).server, at(away).partner, refreshToken)).status).toBe(200)
  })

  test('a code gets invalid_grant and stays valid in its own environment', async () => {
    const code = await codeFor(at(home).server, at(home).partner, 'ann')
    const params = { grant_type: 'authorization_code', code }
    const { status, body } = await token(at(away).server, at(away).partner, params)
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant', error_description: `This authorization code ${belongs}` },
    })
    expect((await token(at(home).server, at(home).partner, params)).status).toBe(200)
  })

  test('a refresh token gets invalid_grant and stays valid in its own environment', async () => {
    const { refreshToken } = await redeemed(at(home))
    const { status, body } = await refresh(at(away).server, at(away).partner, refreshToken)
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant', error_description: `This refresh token ${belongs}` },
    })
    expect((await refresh(at(home).server, at(home).partner, refreshToken)).status).toBe(200)
  })

  test('an access token gets invalid_token and stays valid in its own environment', async () => {
    const { accessToken } = await redeemed(at(home))
    const { status, headers, body } = await api(at(away).server, 'households', accessToken)
    expect({ status, body }).toMatchObject({
      status: 401,
      body: { code: 'invalid_token', detail: `This access token ${belongs}` },
    })
    expect(headers.get('www-authenticate')).toContain(
      `error="invalid_token", error_description="This access token ${belongs}"`,
    )
    const atHome = await api(at(home).server, 'households', accessToken)
    expect(atHome.body).toEqual([{ id: `household-of-${home}`, name: `household-of-${home}` }])
  })

  test('a session is unknown, and the login page is shown', async () => {
    const visitor = new Visitor() // both servers have the same host, and cookies do not depend on the port
    const code = await codeFor(at(home).server, at(home).partner, 'ann', { visitor })
    expect(code).toMatch(/^lk_/)
    const page = await authorize(visitor, at(away).server, at(away).partner)
    expect(page.document.querySelector('input[name=password]')).not.toBeNull()
  })
})
