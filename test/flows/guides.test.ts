import { expect, test } from 'vitest'
import { serverFixture } from '../support/fixtures.ts'
import { runGuide } from '../support/guide.ts'

const server = await serverFixture({
  users: ['ada'],
  households: [{ id: 'h1', name: 'Lovelace' }],
  accounts: [{ id: 'a1', household: 'h1' }],
})

test('the quick start with curl leads to the first household, its accounts and new tokens', async () => {
  const partner = await server.partner({ redirectUri: 'http://localhost:8400/callback' })
  const output = await runGuide({ server, partner, user: 'ada', slug: 'quick-start', language: 'sh' })
  const answers = [...output.matchAll(/[{[][^\n]*[}\]]/g)].map(([text]) => JSON.parse(text))
  expect(answers).toEqual([
    expect.objectContaining({ expires_in: 3600, scope: 'openid' }),
    expect.objectContaining({ data: [{ id: 'h1', name: 'Lovelace' }], next_cursor: null }),
    [expect.objectContaining({ id: 'a1', household_id: 'h1' })],
    expect.objectContaining({ expires_in: 3600, scope: 'openid' }),
  ])
  expect(answers[3].refresh_token).not.toBe(answers[0].refresh_token)
})
