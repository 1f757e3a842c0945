import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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
  spawnCommand,
} from '../support/embedded.ts'
import { authorize } from '../support/journey.ts'
import type { TestPartner } from '../support/server.ts'
import { fieldsOf, type Page, Visitor } from '../support/visitor.ts'

const users = Array.from({ length: 12 }, (_, index) => `user${index}`)
let deployment: Deployment
let partner: TestPartner

beforeAll(async () => {
  deployment = await newDeployment()
  await importUsers(deployment, users)
  partner = await createPartner(deployment)
})
afterAll(() => deployment?.remove())

describe('43: SIGTERM', () => {
  test('lets requests in flight finish, exits with 0 and stops PostgreSQL', async () => {
    const server = await deployment.start()
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
