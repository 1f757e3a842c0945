import { expect, test } from 'vitest'
import { tokensFor } from '../../support/connection.ts'
import { password } from '../../support/directory.ts'
import { serverFixture } from '../../support/fixtures.ts'
import { runGuide } from '../../support/guide.ts'
import { freePort } from '../../support/ports.ts'
import { missing } from '../openapi/tools.ts'

// The programs of the guides, as a reader saves and runs them. pip and npm fetch their libraries.

const server = await serverFixture({
  users: ['ada'],
  households: [{ id: 'h1', name: 'Lovelace' }],
  accounts: [{ id: 'a1', household: 'h1' }],
})
const user = { email: 'ada@example.com', password }

const absent = missing(['python3'])
const python = absent.length > 0 ? test.skip : test
const title = (name: string) => (absent.length > 0 ? `${name} (skipped: python3 is not installed)` : name)

async function quickStart(language: 'python' | 'ts'): Promise<string> {
  const partner = await server.partner({ redirectUri: `http://localhost:${await freePort()}/callback` })
  return runGuide({ server, partner, user, slug: 'quick-start', language, arrival: 'open' })
}

python(
  title('the quick start in Python leads to households, accounts and new tokens'),
  async () => {
    const output = await quickStart('python')
    expect(output).toContain("{'id': 'h1', 'name': 'Lovelace'}")
    expect(output).toContain("'id': 'a1'")
    expect(output).toContain("'refresh_token'")
  },
  120_000,
)

python(
  title('refreshing in Python'),
  async () => {
    const partner = await server.partner()
    const { refreshToken } = await tokensFor(server, partner, 'ada')
    const env = {
      CLIENT_ID: partner.clientId,
      CLIENT_SECRET: partner.clientSecret,
      REFRESH_TOKEN: refreshToken,
    }
    const output = await runGuide({ server, user, slug: 'refreshing', language: 'python', env })
    expect(output).toContain("[{'id': 'h1', 'name': 'Lovelace'}]")
    expect(output).toMatch(/store this before it is used: .*'refresh_token'/)
  },
  120_000,
)

test('the quick start in TypeScript leads to households and accounts', async () => {
  const output = await quickStart('ts')
  expect(output).toContain("{ id: 'h1', name: 'Lovelace' }")
  expect(output).toContain("id: 'a1'")
}, 120_000)
