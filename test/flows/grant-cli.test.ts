import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { commandLine } from '../support/command-line.ts'
import { tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { emailOf, seed } from '../support/directory.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { api, refresh } from '../support/journey.ts'

const secret = randomBytes(32).toString('hex')

const db = await databaseFixture()
const server = await serverFixture({ on: db, secret })
await seed(db.database, { users: ['ann', 'bob'], households: ['h1'] })
const cli = commandLine({ DATABASE_URL: db.url, LATCHKEY_SECRET: secret })

describe('grant list and revoke', () => {
  test('list shows the user and partner of each grant; revoke takes effect with the next request', async () => {
    const partner = await server.partner({ name: 'Granted' })
    const ann = await tokensFor(server, partner, 'ann')
    const bob = await tokensFor(server, partner, 'bob')
    const listed = await cli.json('grant', 'list', '--partner', partner.clientId)
    expect(listed).toMatchObject([
      { user_id: 'ann', email: emailOf('ann'), client_id: partner.clientId, partner_name: 'Granted' },
      { user_id: 'bob' },
    ])
    expect(await cli.json('grant', 'list', '--partner', partner.clientId, '--user', 'bob')).toEqual([
      listed[1],
    ])
    expect(await cli.json('grant', 'list', '--partner', partner.clientId, '--user', emailOf('ann'))).toEqual([
      listed[0],
    ])
    const id: string = listed[0].id
    expect(await cli.text('grant', 'list', '--user', 'ann', '--partner', partner.clientId)).toBe(
      `${id}  ${emailOf('ann')}  Granted (${partner.clientId})\n`,
    )

    expect(await cli.json('grant', 'revoke', id)).toEqual({ revoked: id })
    expect((await api(server, 'households', ann.accessToken)).status).toBe(401)
    expect((await refresh(server, partner, ann.refreshToken)).body.error).toBe('invalid_grant')
    expect((await api(server, 'households', bob.accessToken)).status).toBe(200)
    expect(await cli.json('grant', 'list', '--partner', partner.clientId)).toEqual([listed[1]])

    const by = await query(db.database, 'SELECT revoked_by FROM grants WHERE id = $1', [id])
    expect(by).toEqual([{ revoked_by: 'operator' }])
    const again = await cli.run('grant', 'revoke', id)
    expect(again).toMatchObject({ code: 1, stderr: `There is no live grant ${id}.\n` })
    expect(await cli.text('grant', 'revoke', listed[1].id)).toBe(`Grant ${listed[1].id} is revoked.\n`)
    expect(await cli.text('grant', 'list', '--partner', partner.clientId)).toBe('There are no live grants.\n')
  })

  test('list --all also shows ended grants, with the time and who ended them', async () => {
    const partner = await server.partner({ name: 'Ended' })
    for (const user of ['ann', 'bob']) await tokensFor(server, partner, user)
    const live = await cli.json('grant', 'list', '--partner', partner.clientId)
    expect(live[0]).toMatchObject({ revoked_at: null, revoked_by: null })
    await cli.json('grant', 'revoke', live[0].id)
    await query(db.database, `UPDATE grants SET revoked_at = now(), revoked_by = 'user' WHERE id = $1`, [
      live[1].id,
    ])
    expect(await cli.json('grant', 'list', '--partner', partner.clientId)).toEqual([])
    const all = await cli.json('grant', 'list', '--all', '--partner', partner.clientId)
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)
    expect(all).toMatchObject([
      { id: live[0].id, revoked_at: time, revoked_by: 'operator' },
      { id: live[1].id, revoked_at: time, revoked_by: 'user' },
    ])
    expect(await cli.text('grant', 'list', '--all', '--partner', partner.clientId)).toMatch(
      /^.*\) {2}ended \d{4}-.*Z by the operator\n.*\) {2}ended \d{4}-.*Z by the user\n$/,
    )
    expect(await cli.text('grant', 'list', '--all', '--partner', 'test_none')).toBe('There are no grants.\n')
  })

  test('apply-lifetime limits grants that exist; list shows when they end, and list --all those that have expired', async () => {
    const partner = await server.partner({ name: 'Limited', grantLifetimeDays: 30 })
    const { accessToken } = await tokensFor(server, partner, 'ann')
    await query(db.database, 'UPDATE grants SET expires_at = NULL WHERE client_id = $1', [partner.clientId])
    const list = () => cli.text('grant', 'list', '--all', '--partner', partner.clientId)
    expect(await list()).not.toContain('ends')
    const apply = ['grant', 'apply-lifetime', '--partner', partner.clientId]
    expect(await cli.json(...apply)).toEqual({ limited: 1 })
    expect(await cli.text(...apply)).toBe('0 grants now end earlier.\n')
    expect(await list()).toMatch(/^.*\) {2}ends \d{4}-.*Z\n$/)
    expect((await api(server, 'households', accessToken)).status).toBe(200)
    await query(db.database, 'UPDATE grants SET expires_at = now() WHERE client_id = $1', [partner.clientId])
    expect(await cli.json('grant', 'list', '--partner', partner.clientId)).toEqual([])
    expect(await list()).toMatch(/^.*\) {2}expired \d{4}-.*Z\n$/)
    expect(await cli.json('grant', 'list', '--all', '--partner', partner.clientId)).toMatchObject([
      { revoked_by: 'expiry' },
    ])
  })

  test.each(['x', '99999999999999999999'])('revoke %s reports that there is no such grant', async (id) => {
    const { code, stderr } = await cli.run('grant', 'revoke', '--', id)
    expect({ code, stderr }).toEqual({ code: 1, stderr: `There is no live grant ${id}.\n` })
  })
})
