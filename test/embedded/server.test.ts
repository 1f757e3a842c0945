import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { issued, tokensFor } from '../support/connection.ts'
import {
  connectEmbedded,
  createPartner,
  type Deployment,
  importUsers,
  newDeployment,
  runningPostgres,
} from '../support/deployment.ts'
import { emailOf, password } from '../support/directory.ts'
import {
  expectEventually,
  expectNothingLeft,
  partnerNames,
  postgresProcesses,
  readiness,
  spawnCommand,
} from '../support/embedded.ts'
import { api, authorize, refresh } from '../support/journey.ts'
import { latchkey, type RunningLatchkey } from '../support/latchkey.ts'
import type { TestPartner } from '../support/server.ts'
import { fieldsOf, type Page, Visitor } from '../support/visitor.ts'

const users = Array.from({ length: 12 }, (_, index) => `user${index}`)
let deployment: Deployment
let partner: TestPartner
/** Until its SIGTERM. */
let server: RunningLatchkey

beforeAll(async () => {
  deployment = await newDeployment()
  await importUsers(deployment, users)
  partner = await createPartner(deployment)
  server = await deployment.start()
})
afterAll(() => deployment?.remove())

describe('39: kill -9 of PostgreSQL alone', () => {
  test('the server returns 503, never 401, and recovers by itself', async () => {
    const { accessToken, refreshToken } = await tokensFor(deployment, partner, 'user0')
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

  test('the server recovers if a command restarts PostgreSQL before it does', async () => {
    const { accessToken } = await tokensFor(deployment, partner, 'user0')
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

describe('43: SIGTERM', () => {
  test('lets requests in flight finish, exits with 0 and stops PostgreSQL, even one that a command has restarted', async () => {
    const logins = await Promise.all(users.map(loginPage))
    // Hashing makes each login slow: when the first response arrives, the others are still being processed.
    const answers = logins.map(([visitor, page], index) =>
      visitor.post(new URL('/login', page.url).href, {
        ...fieldsOf(page, '/login'),
        email: emailOf(users[index] ?? ''),
        password,
      }),
    )
    let answered = 0
    for (const answer of answers) answer.then(() => answered++).catch(() => {})
    await Promise.race(answers)
    const atSignal = answered
    const code = server.stop()
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    expect(statuses).toEqual(users.map(() => 303))
    expect(atSignal).toBeLessThan(users.length)
    expect(await code).toBe(0)
    expectNothingLeft(deployment)
    await expect(fetch(deployment.authUrl)).rejects.toThrow('fetch failed')
  })

  test('shortly after PostgreSQL was killed: it exits with 0 and leaves nothing running', async () => {
    for (const pause of [0, 150]) {
      const server = await deployment.start()
      process.kill(runningPostgres(deployment.dataDir), 'SIGKILL')
      await sleep(pause)
      expect(await server.stop()).toBe(0)
      expectNothingLeft(deployment)
    }
  })

  test('during startup: it exits with 0 and leaves nothing running', async () => {
    const starting = spawnCommand(deployment, 'start')
    const exited = once(starting, 'exit')
    await expectEventually(async () => postgresProcesses(deployment).length > 0, 10_000)
    starting.kill('SIGTERM')
    expect(await exited).toEqual([0, null])
    expectNothingLeft(deployment)
  })

  test('twice: the second makes it exit at once', async () => {
    const server = await deployment.start()
    const client = await connectEmbedded(deployment.dataDir)
    // A lock that blocks every login, and therefore the graceful shutdown.
    await client.query('BEGIN; LOCK TABLE login_failures')
    const [visitor, page] = await loginPage()
    const blocked = visitor.post(new URL('/login', page.url).href, {
      ...fieldsOf(page, '/login'),
      email: emailOf('user1'),
      password,
    })
    blocked.catch(() => {})
    await sleep(200)
    const exited = once(server.process, 'exit')
    server.process.kill('SIGTERM')
    await sleep(200)
    expect(server.process.exitCode).toBeNull() // the server still waits for the request
    server.process.kill('SIGTERM')
    expect(await exited).toEqual([143, null])
    await expect(blocked).rejects.toThrow('fetch failed')
    await client.end()
    expect(await partnerNames(deployment)).toEqual(['Test Partner'])
    expectNothingLeft(deployment)
  })
})

async function loginPage(): Promise<[Visitor, Page]> {
  const visitor = new Visitor()
  return [visitor, await authorize(visitor, deployment, partner)]
}
