import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, test } from 'vitest'
import { tokensFor } from '../../support/connection.ts'
import { serverFixture } from '../../support/fixtures.ts'
import { missing, run, toolVenv } from './tools.ts'

const minutes = 60_000

const server = await serverFixture({
  users: [{ id: 'ada' }],
  households: [{ id: 'hh-0001' }, { id: 'hh-0003' }],
  accounts: [{ id: 'a1', household: 'hh-0003' }],
})
const partner = await server.partner()
const directory = mkdtempSync(join(tmpdir(), 'latchkey-schemathesis-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** A text that is a string is not yet a cursor, an instant or a token: the document cannot say which texts are valid. */
const excluded = ['--exclude-checks', 'positive_data_acceptance']
const limits = ['--max-examples', '40', '--seed', '1', '--phases', 'examples,coverage,fuzzing', '--no-color']

async function findings(...options: string[]): Promise<void> {
  const venv = await toolVenv(join(directory, 'venv'), 'schemathesis>=4,<5')
  const address = `${server.baseUrl}openapi.json`
  await run(venv('schemathesis'), ['run', address, ...limits, ...excluded, ...options], { cwd: directory })
}

const absent = missing(['python3'])
const title = absent.length > 0 ? `Schemathesis: skipped, this machine has no ${absent.join(', ')}` : ''

test.skipIf(absent.length > 0)(
  title || 'Schemathesis finds nothing in the API',
  async () => {
    const { accessToken } = await tokensFor(server, partner, 'ada')
    const tags = ['Households', 'Accounts', 'User'].flatMap((tag) => ['--include-tag', tag])
    await findings(...tags, '--header', `Authorization: Bearer ${accessToken}`)
  },
  10 * minutes,
)

test.skipIf(absent.length > 0)(
  title || 'Schemathesis finds nothing at the token endpoints',
  async () => {
    await findings('--include-tag', 'Tokens', '--auth', `${partner.clientId}:${partner.clientSecret}`)
  },
  10 * minutes,
)
