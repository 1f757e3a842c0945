import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { clientBy } from '../support/client-assertion.ts'
import { codeFor, issued } from '../support/connection.ts'
import { countingDatabase, executionReader } from '../support/counting-database.ts'
import { seed } from '../support/directory.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { api } from '../support/journey.ts'
import { Visitor } from '../support/visitor.ts'

const database = await databaseFixture(countingDatabase)
const server = await serverFixture({ on: database })
const directory = { users: [{ id: 'ada' }], households: [{ id: 'h1' }] }
await seed(database.direct, { ...directory, accounts: [{ id: 'a1', household: 'h1' }] })

describe.each(['client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const)('%s', (method) => {
  test('an exchange, a refresh and every authenticated call run one statement each', async () => {
    const { partner, ask } = await clientBy(method, server)
    const ada = new Visitor()

    async function round(): Promise<Record<string, number>> {
      const code = await codeFor(server, partner, 'ada', { visitor: ada })
      const statementCounts: Record<string, number> = {}
      async function counted<Answer extends { status: number }>(name: string, call: () => Promise<Answer>) {
        const answers: Answer[] = []
        statementCounts[name] = await database.statementsDuring(async () => answers.push(await call()))
        const [answer] = answers
        if (answer?.status !== 200) throw new Error(`${name}: ${JSON.stringify(answer)}`)
        return answer
      }
      const first = issued(await counted('exchange', () => ask({ grant_type: 'authorization_code', code })))
      const params = { grant_type: 'refresh_token', refresh_token: first.refreshToken }
      const { accessToken, refreshToken } = issued(await counted('refresh', () => ask(params)))
      const households = await counted('households', () => api(server, 'households', accessToken))
      expect(households.body).toHaveLength(1)
      const accounts = await counted('accounts', () => api(server, 'households/h1/accounts', accessToken))
      expect(accounts.body).toHaveLength(1)
      const live = await counted('introspection', () => ask({ token: accessToken }, 'introspect'))
      expect(live.body.active).toBe(true)
      await counted('revocation', () => ask({ token: refreshToken }, 'revoke'))
      expect((await api(server, 'households', accessToken)).status).toBe(401)
      return statementCounts
    }

    await round() // loads the partner's keys into memory
    expect(await round()).toEqual({
      exchange: 1,
      refresh: 1,
      households: 1,
      accounts: 1,
      introspection: 1,
      revocation: 1,
    })
  })
})

describe('the counter counts', () => {
  test('statements of every kind once each, and does not count connecting', async () => {
    const client = new pg.Client({ connectionString: database.url })
    const named = { name: 'counted', text: 'SELECT $1::text AS given' }
    // Longer than a chunk, and full of bytes that look like protocol messages.
    const long = 'Q\0\0\0\u0004E\0\0\0\u0009'.replaceAll('\0', '\u0001').repeat(100_000)
    const steps: [work: () => Promise<unknown>, statements: number][] = [
      [() => client.connect(), 0],
      [() => client.query('SELECT 1'), 1],
      [() => client.query('SELECT 1; SELECT 2'), 1],
      [() => client.query({ ...named, values: ['prepared'] }), 1],
      [() => client.query({ ...named, values: ['and again'] }), 1],
      [() => client.query({ ...named, values: [long] }), 1],
      [() => client.query('SELECT $1::int', [1]), 1],
      [async () => expect(client.query('SELECT 1 / 0')).rejects.toThrow('division by zero'), 1],
      [() => client.end(), 0],
    ]
    for (const [work, statements] of steps) expect(await database.statementsDuring(work)).toBe(statements)
  })

  test('key lookups: the first assertion of a client runs two statements, the next ones run one', async () => {
    const { ask } = await clientBy('private_key_jwt', server)
    const introspect = () => ask({ token: 'unknown' }, 'introspect')
    expect(await database.statementsDuring(introspect)).toBe(2)
    expect(await database.statementsDuring(introspect)).toBe(1)
  })

  test('correctly if bytes arrive one at a time, with an SSLRequest before the startup message', () => {
    const executed: string[] = []
    const read = executionReader((name) => executed.push(name))
    const message = (type: string, body: string | Buffer) => {
      const head = Buffer.alloc(4)
      head.writeInt32BE(4 + Buffer.byteLength(body))
      return Buffer.concat([Buffer.from(type), head, Buffer.from(body)])
    }
    const sslRequest = Buffer.from([4, 210, 22, 47])
    const startup = Buffer.concat([Buffer.from([0, 3, 0, 0]), Buffer.from('user\0QQQ\0\0')])
    const sent = [
      message('', sslRequest),
      message('', startup),
      message('p', 'EEEEE'),
      message('P', 'find_one\0SELECT 1\0\0\0'),
      message('B', '\0find_one\0\0\0\0\0\0\0'),
      message('E', '\0\0\0\0\0'),
      message('S', ''),
      message('Q', 'SELECT 1\0'),
    ]
    for (const byte of Buffer.concat(sent)) read(Buffer.from([byte]))
    expect(executed).toEqual(['find_one', ''])
  })
})
