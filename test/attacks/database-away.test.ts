import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newToken } from '../../src/secrets/token-format.ts'
import { accessTokenOf } from '../support/access-token.ts'
import { seed } from '../support/directory.ts'
import { type InterruptibleDatabase, interruptibleDatabase } from '../support/interruptible-database.ts'
import { api, token } from '../support/journey.ts'
import { type TestServer, testServer } from '../support/server.ts'
import { Visitor } from '../support/visitor.ts'

describe('39: the database is unavailable', () => {
  let database: InterruptibleDatabase
  let fragile: TestServer
  beforeAll(async () => {
    database = await interruptibleDatabase()
    fragile = await testServer({ on: database })
    await seed(database.database, { users: [{ id: 'ada' }], households: [{ id: 'h' }] })
  })
  afterAll(async () => {
    await fragile.close()
    await database.drop()
  })

  test('503 without a wait for a timeout, never "invalid token", then it recovers without help', async () => {
    const partner = await fragile.partner()
    const bearer = await accessTokenOf(database.database, 'ada')
    await database.cut()
    const earlier = fragile.logs().length
    for (const path of ['households', 'households/h/accounts', 'households/nowhere/accounts']) {
      const answer = await api(fragile, path, bearer)
      expect(answer.body).toMatchObject({ status: 503, code: 'unavailable' })
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
      expect(answer.headers.get('www-authenticate')).toBeNull()
    }
    for (const endpoint of ['token', 'revoke'] as const) {
      const code = newToken('sandbox', 'ac').text
      const answer = await token(
        fragile,
        partner,
        { grant_type: 'authorization_code', code, token: code },
        endpoint,
      )
      expect([answer.status, answer.body.error]).toEqual([503, 'temporarily_unavailable'])
    }
    const causes =
      fragile
        .logs()
        .slice(earlier)
        .match(/the database is unavailable: \w+ \w+/g) ?? []
    expect(causes.length).toBeGreaterThan(4)
    expect(new Set(causes)).toEqual(new Set(['the database is unavailable: connect ECONNREFUSED']))
    const userinfo = await fetch(`${fragile.baseUrl}oauth2/userinfo`, {
      headers: { authorization: `Bearer ${bearer}` },
    })
    expect([userinfo.status, userinfo.headers.get('www-authenticate')]).toEqual([503, null])
    // Not "you are logged out", which would be wrong.
    const visitor = new Visitor()
    await visitor.jar.setCookie('latchkey-session=some', fragile.authUrl)
    expect((await visitor.get(`${fragile.authUrl}/logout`)).status).toBe(503)
    // Responses that need no database stay the same.
    expect((await api(fragile, 'households')).status).toBe(401)
    expect((await api(fragile, 'households?page=x', bearer)).status).toBe(400)
    await database.heal()
    expect((await api(fragile, 'households', bearer)).body).toEqual([{ id: 'h', name: 'h' }])
  })

  test('a connection that is cut during a statement: 503', async () => {
    const bearer = await accessTokenOf(database.database, 'ada')
    const answer = await database.direct.withConnection(async (client) => {
      await client.query('BEGIN; LOCK TABLE households')
      const waiting = api(fragile, 'households', bearer)
      const isWaiting = `SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted`
      for (let n = 0; n === 0; ) n = (await client.query<{ n: number }>(isWaiting)).rows[0]?.n ?? 0
      await database.cut()
      await client.query('ROLLBACK')
      return waiting
    })
    await database.heal()
    expect(answer.body).toMatchObject({ status: 503, code: 'unavailable' })
    expect((await api(fragile, 'households', bearer)).status).toBe(200)
  })
  test('a connection that goes silent during a statement: 503, and it is not used again', async () => {
    const bearer = await accessTokenOf(database.database, 'ada')
    expect((await api(fragile, 'households', bearer)).status).toBe(200)
    database.silence()
    const answer = await api(fragile, 'households', bearer)
    expect(answer.body).toMatchObject({ status: 503, code: 'unavailable' })
    expect((await api(fragile, 'households', bearer)).status).toBe(200)
  })
})
