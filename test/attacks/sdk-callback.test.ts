import { describe, expect, test } from 'vitest'
import { memoryStore } from '../../sdk/src/index.ts'
import { connectionOf } from '../support/connection.ts'
import { serverFixture } from '../support/fixtures.ts'
import { authorize, logIn } from '../support/journey.ts'
import { failureOf, sdkOf, travelTo } from '../support/sdk.ts'
import { redirectOf, Visitor } from '../support/visitor.ts'

const server = await serverFixture({ users: ['ada', 'mallory'] })
const partner = await server.partner()
const store = memoryStore()
const latchkey = sdkOf(server, partner, store)

/** The browser of the attacker comes back with a code for the attacker's own data. */
const attackerStart = latchkey.startConnecting()
const attackerCallback = await travelTo(attackerStart.url, server, partner, 'mallory')
const code = attackerCallback.searchParams.get('code') ?? ''

describe('72: the callback of the client library refuses', () => {
  const { attempt } = latchkey.startConnecting()
  const [state = ''] = attempt.split('.')
  const callback = (parameters: Record<string, string>, more = '') =>
    `/callback?${new URLSearchParams({ code, state, iss: server.authUrl, ...parameters })}${more}`

  test.each([
    [
      'the attacker’s callback in another browser',
      `/callback${attackerCallback.search}`,
      attempt,
      'state_mismatch',
    ],
    ['a callback in a browser without an attempt', callback({}), undefined, 'state_mismatch'],
    ['a callback without state', callback({ state: '' }), attempt, 'state_mismatch'],
    ['an empty attempt and an empty state', callback({ state: '' }), '.', 'state_mismatch'],
    [
      'a forged refusal without state',
      callback({ state: 'x', error: 'access_denied' }),
      attempt,
      'state_mismatch',
    ],
    ['two values of state', callback({}, '&state=x'), attempt, 'invalid_callback'],
    ['two codes', callback({}, '&code=x'), attempt, 'invalid_callback'],
    [
      'a callback of another authorization server',
      callback({ iss: 'https://evil.example' }),
      attempt,
      'issuer_mismatch',
    ],
    [
      'a callback without a code',
      `/callback?state=${state}&iss=${server.authUrl}`,
      attempt,
      'invalid_callback',
    ],
    ['a request without an address', '', attempt, 'state_mismatch'],
  ])('%s', async (_, request, kept, expected) => {
    const error = await failureOf(latchkey.handleCallback({ request, attempt: kept, key: 'victim' }))
    expect(error).toMatchObject({ name: 'LatchkeyError', code: expected })
    expect(await store.get('victim')).toBeUndefined()
  })

  test('the attacker’s code in a callback with the state of this browser: PKCE, by the server', async () => {
    const error = await failureOf(latchkey.handleCallback({ request: callback({}), attempt, key: 'victim' }))
    expect(error).toMatchObject({ code: 'invalid_grant', status: 400 })
    expect(await connectionOf(server, code)).toMatchObject({ redemptions: 1 })
    expect(await store.get('victim')).toBeUndefined()
  })
})

test('a cancelled consent is access_denied, with the words of the server', async () => {
  const { url, attempt } = latchkey.startConnecting()
  const visitor = new Visitor()
  const page = await logIn(
    visitor,
    await authorize(visitor, server, partner, Object.fromEntries(url.searchParams)),
    'ada',
  )
  const request = redirectOf(await visitor.submit(page, '/connect', { decision: 'cancel' }))
  const error = await failureOf(latchkey.handleCallback({ request: request ?? '', attempt, key: 'ada' }))
  expect(error).toMatchObject({ code: 'access_denied', detail: expect.stringMatching(/\w/) })
})
