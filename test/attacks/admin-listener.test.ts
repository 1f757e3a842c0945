import pino from 'pino'
import { expect, test } from 'vitest'
import { createAdminServer } from '../../src/server.ts'
import { adminCaller, newKey } from '../support/admin.ts'
import { seed } from '../support/directory.ts'
import { serverFixture } from '../support/fixtures.ts'

const server = await serverFixture()

test('57: a link for a user leads to the pages of users, also from the listener of the operators', async () => {
  await seed(server.database, { users: [{ id: 'ada' }] })
  const key = await newKey(server, ['users:write'])
  const { config } = server.context
  const admin = {
    url: 'https://ops.internal.example',
    networks: [],
    listener: { host: '127.0.0.1', port: 0 },
  }
  const context = { ...server.context, config: { ...config, admin } }
  const app = await createAdminServer(context, pino({ level: 'silent' }))
  const authUrl = await app.listen({ host: '127.0.0.1', port: 0 })
  const answer = await adminCaller({ authUrl }, key)('POST', '/users/ada/invitations')
  expect(answer.status).toBe(201)
  expect(new URL(answer.body.link).origin).toBe(config.authUrl)
  await app.close()
})
