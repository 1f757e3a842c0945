import { describe, expect, test } from 'vitest'
import { newClientId } from '../../src/partners/client-id.ts'
import { newToken } from '../../src/secrets/token-format.ts'
import { codeFor, tokensFor } from '../support/connection.ts'
import { serverFixture } from '../support/fixtures.ts'
import { send } from '../support/journey.ts'
import { neverIssued } from '../support/never-issued.ts'

const server = await serverFixture({ users: ['ada'] })

describe('12: an unknown client and a wrong secret get the same response', () => {
  const { text: secret } = newToken('sandbox', 'cs')
  const asBody = (id: string): [Record<string, string>, HeadersInit] => [
    { client_id: id, client_secret: secret },
    {},
  ]
  const asBasic = (id: string): [Record<string, string>, HeadersInit] => [
    {},
    { authorization: `Basic ${btoa(`${id}:${secret}`)}` },
  ]

  test.each([
    ['a form', asBody],
    ['Basic', asBasic],
  ])('with live codes and tokens, without any, and at revocation (%s)', async (_name, credentials) => {
    const partner = await server.partner()
    const { refreshToken } = await tokensFor(server, partner, 'ada')
    const code = await codeFor(server, partner, 'ada')
    const ask = async (clientId: string, endpoint: string, parameters: Record<string, string>) => {
      const [fields, headers] = credentials(clientId)
      const body = new URLSearchParams({ ...fields, ...parameters })
      const answer = await send(`${server.baseUrl}oauth2/${endpoint}`, { method: 'POST', headers, body })
      const { 'x-api-request-id': _id, date: _date, ...rest } = Object.fromEntries(answer.headers)
      return { ...answer, headers: rest }
    }
    for (const [endpoint, parameters] of [
      ['token', { grant_type: 'authorization_code', code }],
      ['token', { grant_type: 'refresh_token', refresh_token: refreshToken }],
      ['token', { grant_type: 'refresh_token', refresh_token: neverIssued('rt') }],
      ['revoke', { token: refreshToken }],
      ['revoke', { token: 'nonsense' }],
    ] as const) {
      const known = await ask(partner.clientId, endpoint, parameters)
      const unknown = await ask(newClientId('sandbox'), endpoint, parameters)
      expect(known).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
      expect({ ...unknown, body: { ...unknown.body, request_id: '' } }).toEqual({
        ...known,
        body: { ...known.body, request_id: '' },
      })
    }
  })
})
