import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { rotatePartnerSecret } from '../../src/partners/partners.ts'
import { commandLine } from '../support/command-line.ts'
import { tokensFor } from '../support/connection.ts'
import { query, testDatabase } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { api, refresh, token } from '../support/journey.ts'
import { errorOf, latchkey } from '../support/latchkey.ts'
import { neverIssued } from '../support/never-issued.ts'
import type { TestPartner } from '../support/server.ts'

const secret = randomBytes(32).toString('hex')
const redirectUri = 'https://partner.example/callback'

const db = await databaseFixture()
const server = await serverFixture({ on: db, secret })
await seed(db.database, { users: ['ann'], households: ['h1'] })
const cli = commandLine({ DATABASE_URL: db.url, LATCHKEY_SECRET: secret })

async function create(name = 'Test Partner'): Promise<TestPartner> {
  const made = await cli.json('partner', 'create', '--name', name, '--redirect-uri', redirectUri)
  expect(Object.keys(made)).toEqual(['client_id', 'client_secret'])
  return { clientId: made.client_id, clientSecret: made.client_secret, redirectUri }
}

/** The token endpoint's error for this secret. `invalid_grant` means that the client is authenticated. */
async function answerTo(partner: TestPartner, clientSecret = partner.clientSecret): Promise<unknown> {
  const params = { grant_type: 'refresh_token', refresh_token: neverIssued('rt') }
  return (await token(server, { ...partner, clientSecret }, params)).body.error
}

describe('partner create', () => {
  test('shows the secret once and stores only its digest', async () => {
    const partner = await create()
    expect(partner.clientId).toMatch(/^test_[0-9A-Za-z]{22}$/)
    expect(partner.clientSecret).toMatch(/^lk_test_cs_/)
    expect(await answerTo(partner)).toBe('invalid_grant')
    const tables = await query<{ name: string }>(
      db.database,
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
    )
    for (const { name } of tables) {
      const rows = await query<{ row: string }>(db.database, `SELECT t::text AS row FROM ${name} t`)
      const hex = Buffer.from(partner.clientSecret).toString('hex')
      expect(rows.filter(({ row }) => row.includes(partner.clientSecret) || row.includes(hex))).toEqual([])
    }
    const shown = [await cli.text('partner', 'list'), await cli.text('partner', 'show', partner.clientId)]
    expect(shown.join('')).not.toContain('lk_test_cs_')
  })

  test('prints the secret as text with the advice to keep it', async () => {
    const options = [
      '--name',
      'Text Partner',
      '--redirect-uri',
      redirectUri,
      '--redirect-uri',
      'http://localhost:4010/cb',
    ]
    const shown = await cli.text('partner', 'create', ...options)
    expect(shown).toMatch(
      /^client_id {6}test_\w{22}\nclient_secret {2}lk_test_cs_\w{49}\n\n.*shown only once\.\n$/,
    )
    const clientId = /test_\w{22}/.exec(shown)?.[0] ?? ''
    expect((await cli.json('partner', 'show', clientId)).redirect_uris).toEqual([
      redirectUri,
      'http://localhost:4010/cb',
    ])
  })

  test('--require-pkce is stored', async () => {
    const options = ['--name', 'Careful', '--redirect-uri', redirectUri, '--require-pkce']
    const { client_id: clientId } = await cli.json('partner', 'create', ...options)
    expect(await cli.json('partner', 'show', clientId)).toMatchObject({ require_pkce: true })
    expect(await cli.text('partner', 'show', clientId)).toContain('PKCE           required')
  })

  test('--id-token-on-refresh is stored', async () => {
    const options = ['--name', 'Refreshing', '--redirect-uri', redirectUri, '--id-token-on-refresh']
    const { client_id: clientId } = await cli.json('partner', 'create', ...options)
    expect(await cli.json('partner', 'show', clientId)).toMatchObject({ id_token_on_refresh: true })
    expect(await cli.text('partner', 'show', clientId)).toContain('id_token       RS256, also on refresh\n')
  })

  test('names every redirect URI that is refused, and registers nothing', async () => {
    const before = await cli.json('partner', 'list')
    const bad = [
      ['http://partner.example/cb', 'must be https'],
      ['javascript:alert(1)', 'must be https'],
      ['https://partner.example/cb#part', 'fragment'],
      ['https://me:pw@partner.example/cb', 'user information'],
      ['https://PARTNER.example/cb', 'Register https://partner.example/cb'],
      ['/callback', 'not an absolute URL'],
    ] as const
    const options = [redirectUri, ...bad.map(([uri]) => uri)].flatMap((uri) => ['--redirect-uri', uri])
    const finished = await cli.run('partner', 'create', '--name', 'Bad', ...options, '--json')
    expect(finished).toMatchObject({ code: 1, stdout: '' })
    const lines = errorOf(finished).message.split('\n')
    expect(lines).toHaveLength(bad.length)
    for (const [index, [uri, reason]] of bad.entries()) {
      expect(lines[index]).toContain(JSON.stringify(uri))
      expect(lines[index]).toContain(reason)
    }
    expect(await cli.json('partner', 'list')).toEqual(before)
  })

  test.each([
    ['a name with a line break', 'Two\nlines'],
    ['a name of 101 characters', 'x'.repeat(101)],
  ])('refuses %s', async (_case, name) => {
    const { code, stderr } = await cli.run('partner', 'create', '--name', name, '--redirect-uri', redirectUri)
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('The name must have 1 to 100 characters'),
    })
  })
})

describe('partner list and show', () => {
  test('print what is registered', async () => {
    const { clientId } = await create('Listed')
    const expected = {
      client_id: clientId,
      name: 'Listed',
      status: 'active',
      redirect_uris: [redirectUri],
      require_pkce: false,
      require_acr: null,
      auth_methods: ['client_secret_basic', 'client_secret_post'],
      key_ids: [],
      id_token_alg: 'RS256',
      id_token_on_refresh: false,
      post_logout_redirect_uris: [],
      site: null,
      logo: null,
      privacy_url: null,
      description: null,
      limits: {},
      grant_lifetime_days: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      live_secrets: 1,
    }
    expect(await cli.json('partner', 'show', clientId)).toEqual(expected)
    expect(await cli.json('partner', 'list')).toContainEqual(expected)
    expect(await cli.text('partner', 'list')).toContain(
      `${clientId}  active     Listed  (client_secret_basic, client_secret_post)\n`,
    )
    expect((await cli.text('partner', 'show', clientId)).split('\n')).toEqual([
      `client_id      ${clientId}`,
      'name           Listed',
      'status         active',
      'PKCE           supported',
      `redirect URI   ${redirectUri}`,
      'authenticates  client_secret_basic, client_secret_post',
      'id_token       RS256',
      'live secrets   1',
      '',
    ])
  })

  test('list reports that there are no partners', async () => {
    const empty = await testDatabase()
    try {
      const env = { DATABASE_URL: empty.url, LATCHKEY_SECRET: secret }
      expect((await latchkey(['partner', 'list'], env)).stdout).toBe('There are no partners.\n')
      expect((await latchkey(['partner', 'list', '--json'], env)).stdout).toBe('[]\n')
    } finally {
      await empty.drop()
    }
  })
})

test.each(['show', 'suspend', 'resume', 'rotate-secret'])(
  'partner %s reports an unknown client_id',
  async (command) => {
    const { code, stdout, stderr } = await cli.run('partner', command, 'test_nobody')
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: 'There is no partner test_nobody. `latchkey partner list` shows all partners.\n',
    })
  },
)

test('a suspended partner is refused from the next request on; its tokens work again when it is resumed', async () => {
  const partner = await create('Suspended')
  const other = await server.partner()
  const tokens = await tokensFor(server, partner, 'ann')
  const others = await tokensFor(server, other, 'ann')
  const households = () => api(server, 'households', tokens.accessToken)
  expect((await households()).status).toBe(200)

  expect(await cli.json('partner', 'suspend', partner.clientId)).toMatchObject({ status: 'suspended' })
  expect((await households()).status).toBe(401)
  expect((await refresh(server, partner, tokens.refreshToken)).body.error).toBe('unauthorized_client')
  expect((await api(server, 'households', others.accessToken)).status).toBe(200)
  // Suspending again is not an error.
  expect(await cli.text('partner', 'suspend', partner.clientId)).toContain('status         suspended\n')

  expect(await cli.text('partner', 'resume', partner.clientId)).toContain('status         active\n')
  expect((await households()).status).toBe(200)
  expect((await refresh(server, partner, tokens.refreshToken)).status).toBe(200)
  expect(await cli.json('partner', 'resume', partner.clientId)).toMatchObject({ status: 'active' })
})

describe('partner rotate-secret', () => {
  test('keeps two secrets live; the third ends the oldest', async () => {
    const partner = await create('Rotating')
    const [first] = [partner.clientSecret]
    const second = await cli.json('partner', 'rotate-secret', partner.clientId)
    expect(second).toEqual({
      client_id: partner.clientId,
      client_secret: expect.stringMatching(/^lk_test_cs_\w{49}$/),
      live_secrets: 2,
    })
    expect(await answerTo(partner, first)).toBe('invalid_grant')
    expect(await answerTo(partner, second.client_secret)).toBe('invalid_grant')
    const third = await cli.json('partner', 'rotate-secret', partner.clientId)
    expect(third.live_secrets).toBe(2)
    expect(await answerTo(partner, first)).toBe('invalid_client')
    expect(await answerTo(partner, second.client_secret)).toBe('invalid_grant')
    expect(await answerTo(partner, third.client_secret)).toBe('invalid_grant')
    expect((await cli.json('partner', 'show', partner.clientId)).live_secrets).toBe(2)
  })

  test('--end-others leaves only the new secret live', async () => {
    const partner = await create('Leaked')
    const second = await cli.json('partner', 'rotate-secret', partner.clientId)
    const shown = await cli.text('partner', 'rotate-secret', partner.clientId, '--end-others')
    expect(shown).toMatch(
      /^client_secret {2}lk_test_cs_\w{49}\n\nKeep the secret: it is shown only once\. Live secrets now: 1\.\n$/,
    )
    const third = /lk_test_cs_\w+/.exec(shown)?.[0]
    expect(await answerTo(partner)).toBe('invalid_client')
    expect(await answerTo(partner, second.client_secret)).toBe('invalid_client')
    expect(await answerTo(partner, third)).toBe('invalid_grant')
  })
})

test('after concurrent rotations two secrets are live, never more', async () => {
  const { clientId } = await server.partner()
  const rotate = () => rotatePartnerSecret(db.database, systemOrigin, 'sandbox', clientId, false)
  const both = await db.database.withConnection(async (client) => {
    await client.query('BEGIN')
    await client.query('SELECT FROM partners WHERE client_id = $1 FOR UPDATE', [clientId])
    const rotations = [rotate(), rotate()]
    const waiting = async () => {
      const sql = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
      return (await query(db.database, sql)).length
    }
    await expect.poll(waiting, { timeout: 5000 }).toBe(2)
    await client.query('COMMIT')
    return rotations
  })
  await Promise.all(both)
  const live = 'SELECT cardinality(secret_hashes) AS live FROM partners WHERE client_id = $1'
  expect(await query(db.database, live, [clientId])).toEqual([{ live: 2 }])
})
