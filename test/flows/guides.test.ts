import { expect, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { sandboxPassword } from '../../src/sandbox/data.ts'
import { loadSandbox } from '../../src/sandbox/load.ts'
import { codeFor, tokensFor } from '../support/connection.ts'
import { serverFixture } from '../support/fixtures.ts'
import { runGuide } from '../support/guide.ts'

// A reader pastes the commands of each guide, as the server shows them, into a terminal.

const server = await serverFixture()
expect(await loadSandbox(server.database, systemOrigin, { households: 0 })).toMatchObject({
  kind: 'imported',
})
await server.context.sandbox?.look()
const partner = await server.partner()
const user = { email: 'granted@sandbox.example', password: sandboxPassword }

/** The JSON answers in what the terminal shows. */
const answersIn = (output: string) =>
  [...output.matchAll(/[{[][^\n]*[}\]]/g)].map(([text]) => JSON.parse(text))

/** Runs a guide in a terminal with the variables of the quick start. */
async function run(slug: string, more: Record<string, string> = {}): Promise<string> {
  const { accessToken, refreshToken } = await tokensFor(server, partner, 'sandbox-granted')
  return runGuide({
    server,
    user,
    slug,
    language: 'sh',
    env: {
      CLIENT_ID: partner.clientId,
      CLIENT_SECRET: partner.clientSecret,
      ACCESS_TOKEN: accessToken,
      REFRESH_TOKEN: refreshToken,
      ...more,
    },
  })
}

test('the quick start leads to households, accounts and new tokens with the application that the sandbox publishes', async () => {
  const output = await runGuide({ server, user, slug: 'quick-start', language: 'sh' })
  const answers = answersIn(output)
  expect(answers).toEqual([
    expect.objectContaining({ expires_in: 3600, scope: 'openid' }),
    expect.objectContaining({ data: expect.any(Array), next_cursor: expect.any(String) }),
    expect.any(Array),
    expect.objectContaining({ expires_in: 3600, scope: 'openid' }),
  ])
  expect(answers[1].data).toHaveLength(3)
  expect(answers[2][0]).toMatchObject({ household_id: answers[1].data[0].id })
  expect(answers[3].refresh_token).not.toBe(answers[0].refresh_token)
})

test('the connect button: exchange and disconnect', async () => {
  const code = await codeFor(server, partner, 'sandbox-granted')
  expect(await run('connect-button', { CODE: code })).toMatch(/^\{"access_token".*\}\{\}$/s)
})

test('refreshing', async () => {
  expect(JSON.parse(await run('refreshing'))).toMatchObject({
    refresh_token: expect.stringMatching(/^lk_test_rt_/),
  })
})

test('paging, syncing and conditional requests', async () => {
  const output = await run('paging-and-sync')
  expect(output).toContain('rel="next"')
  expect(output).toContain('"next_cursor":"')
  expect(output).toContain('"removed":[]')
  expect(output).toMatch(/\n?304\n$/)
})

test('errors', async () => {
  const output = await run('errors')
  expect(output).toContain(`"type":"${server.baseUrl}docs/errors/invalid_parameter"`)
  expect(output).toContain(`"error_uri":"${server.baseUrl}docs/errors/invalid_grant`)
})

test('testing: an unavailable API, a lost answer and a clock', async () => {
  const output = await run('testing')
  expect(output).toContain('HTTP/1.1 503')
  expect(output).toContain('lk_test_rt_')
  expect(output).toContain('"seconds_ahead":3600')
})
