import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { issued, tokensFor } from '../support/connection.ts'
import {
  createPartner,
  type Deployment,
  importUsers,
  newDeployment,
  runningPostgres,
} from '../support/deployment.ts'
import { expectEventually, postgresProcesses, readiness, spawnCommand } from '../support/embedded.ts'
import { api, refresh } from '../support/journey.ts'
import { latchkey, type RunningLatchkey } from '../support/latchkey.ts'
import type { TestPartner } from '../support/server.ts'

let deployment: Deployment
let partner: TestPartner

beforeAll(async () => {
  deployment = await newDeployment()
  await importUsers(deployment, ['ann'])
  partner = await createPartner(deployment)
})
afterAll(() => deployment?.remove())

describe('39: kill -9 of PostgreSQL alone', () => {
  let server: RunningLatchkey
  beforeAll(async () => {
    server = await deployment.start()
  })
  afterAll(() => server.stop())

  test('the server returns 503, never 401, and recovers by itself', async () => {
    const { accessToken, refreshToken } = await tokensFor(deployment, partner, 'ann')
    const postgres = runningPostgres(deployment.dataDir)
    process.kill(postgres, 'SIGKILL')
    const seen = { api: new Set<number>(), token: new Set<number>(), ready: new Set<number>() }
    const killedAt = Date.now()
    let healed = false
    let current = refreshToken
    while (!healed && Date.now() - killedAt < 60_000) {
      const [listed, refreshed, ready] = await Promise.all([
        api(deployment, 'households', accessToken),
        refresh(deployment, partner, current),
        readiness(deployment),
      ])
      seen.api.add(listed.status)
      seen.token.add(refreshed.status)
      seen.ready.add(ready)
      if (refreshed.status === 200) current = issued(refreshed).refreshToken
      healed = listed.status === 200 && refreshed.status === 200 && ready === 200 && seen.api.has(503)
      if (listed.status === 503) {
        expect(listed.headers.get('retry-after')).toBe('1')
        expect(listed.body).toMatchObject({ status: 503, code: 'unavailable' })
      }
      if (refreshed.status === 503) expect(refreshed.body.error).toBe('temporarily_unavailable')
    }
    expect(healed).toBe(true)
    expect(
      [...seen.api, ...seen.token, ...seen.ready].filter((status) => status !== 200 && status !== 503),
    ).toEqual([])
    expect(runningPostgres(deployment.dataDir)).not.toBe(postgres)
    expect((await fetch(`${deployment.opsUrl}/livez`)).status).toBe(200)
  })

  test('a command may restart PostgreSQL before the server does', async () => {
    const { accessToken } = await tokensFor(deployment, partner, 'ann')
    server.process.kill('SIGSTOP') // a server that is slow to notice
    process.kill(runningPostgres(deployment.dataDir), 'SIGKILL')
    const command = spawnCommand(deployment, 'partner', 'list')
    const ended = once(command, 'exit')
    const answered = async () => (await api(deployment, 'households', accessToken)).status === 200
    try {
      await expectEventually(async () => postgresProcesses(deployment).length > 0, 10_000)
      command.kill('SIGSTOP') // a command that is slow to exit
      server.process.kill('SIGCONT')
      await expectEventually(answered, 10_000)
    } finally {
      server.process.kill('SIGCONT')
      command.kill('SIGCONT')
    }
    expect(await ended).toEqual([0, null])
    await expectEventually(answered, 10_000)
  })

  test('the recovered server still has exclusive use of its directory', async () => {
    const other = await newDeployment({ LATCHKEY_DATA_DIR: deployment.dataDir })
    const { code, stderr } = await latchkey(['start'], other.env)
    other.remove()
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(`(process ${server.process.pid})`),
    })
  })
})
