import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { issued } from '../support/connection.ts'
import {
  connectEmbedded,
  createPartner,
  type Deployment,
  importUsers,
  isAlive,
  newDeployment,
  postmasterPid,
  runningPostgres,
} from '../support/deployment.ts'
import { emailOf, password } from '../support/directory.ts'
import { api, authorize, newTokens, refresh } from '../support/journey.ts'
import { latchkey, program, type RunningLatchkey } from '../support/latchkey.ts'
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

function listPartners() {
  return latchkey(['partner', 'list', '--json'], deployment.env)
}

/** The names of the partners in a command's answer. */
function names({ code, stdout, stderr }: Awaited<ReturnType<typeof listPartners>>): string[] {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout).map(({ name }: { name: string }) => name)
}

/** No PostgreSQL is left running here, neither one that postmaster.pid names nor one that lost it. */
function expectNothingLeft(): void {
  const pid = postmasterPid(deployment.dataDir)
  expect(pid === undefined || !isAlive(pid)).toBe(true)
  expect(postgresProcesses()).toEqual([])
}

function postgresProcesses(): number[] {
  const directory = join(deployment.dataDir, 'postgres')
  return commandLines().flatMap(([pid, line]) =>
    line.includes(` -D ${directory} `) && isAlive(pid) ? pid : [],
  )
}

function commandLines(): [pid: number, line: string][] {
  if (!existsSync('/proc/self/cmdline')) {
    const lines = execFileSync('ps', ['-axo', 'pid=,command='], { encoding: 'utf8' }).split('\n')
    return lines.map((line) => [Number.parseInt(line, 10), line])
  }
  return readdirSync('/proc').flatMap((name): [number, string][] => {
    if (!/^\d+$/.test(name)) return []
    try {
      return [[Number(name), readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ')]]
    } catch {
      return [] // it ended in between
    }
  })
}

async function readiness(): Promise<number> {
  return (await fetch(`${deployment.opsUrl}/readyz`)).status
}

describe('commands without a server', () => {
  test('start PostgreSQL by themselves and leave nothing running', async () => {
    expectNothingLeft()
    expect(names(await listPartners())).toEqual(['Test Partner'])
    expectNothingLeft()
  })

  test('six at once share one PostgreSQL, and the last to leave stops it', { timeout: 90_000 }, async () => {
    for (let round = 0; round < 2; round++) {
      const answers = await Promise.all(Array.from({ length: 6 }, listPartners))
      expect(answers.map(names)).toEqual(Array(6).fill(['Test Partner']))
      expectNothingLeft()
    }
  })

  test('one killed -9 leaves an orphan, which the next adopts and stops', async () => {
    const child = run('partner', 'list')
    await expectEventually(async () => postgresProcesses().length > 0, 10_000)
    await killed(child)
    expect(postgresProcesses()).not.toEqual([])
    expect(names(await listPartners())).toEqual(['Test Partner'])
    expectNothingLeft()
  })

  test.each([
    ['a process that has nothing to do with it', 'sleep'],
    ['nobody', 'none'],
  ])('come up where postmaster.pid of a killed PostgreSQL names %s', async (_who, kind) => {
    const server = await deployment.start()
    const postgres = runningPostgres(deployment.dataDir)
    process.kill(postgres, 'SIGKILL')
    await killed(server.process)
    const other = kind === 'sleep' ? spawn('sleep', ['60']) : undefined
    if (other) {
      const file = join(deployment.dataDir, 'postgres', 'postmaster.pid')
      writeFileSync(file, readFileSync(file, 'utf8').replace(/^\d+/, String(other.pid)))
    }
    expect(names(await listPartners())).toEqual(['Test Partner'])
    expectNothingLeft()
    expect(other?.exitCode ?? null).toBeNull() // and the stranger was left alone
    other?.kill()
  })
})

function run(...args: string[]): ChildProcess {
  return spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env.PATH, ...deployment.env },
    stdio: 'ignore',
  })
}

function killed(child: ChildProcess): Promise<unknown> {
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  return exited
}

async function expectEventually(holds: () => Promise<boolean>, milliseconds: number): Promise<void> {
  await expect.poll(holds, { timeout: milliseconds, interval: 20 }).toBe(true)
}

describe('beside a running server', () => {
  let server: RunningLatchkey
  beforeAll(async () => {
    server = await deployment.start()
  })
  afterAll(() => server.stop())

  test('commands work, and leave its PostgreSQL alone', async () => {
    const postgres = runningPostgres(deployment.dataDir)
    const answers = await Promise.all([listPartners(), listPartners(), listPartners()])
    expect(answers.map(names)).toEqual(Array(3).fill(['Test Partner']))
    expect(runningPostgres(deployment.dataDir)).toBe(postgres)
    expect(await readiness()).toBe(200)
  })

  test('a second server says whose the data directory is and ends, leaving the first alone', async () => {
    const other = await newDeployment({ LATCHKEY_DATA_DIR: deployment.dataDir })
    const { code, stdout, stderr } = await latchkey(['start'], other.env)
    other.remove()
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe(
      `Another Latchkey server (process ${server.process.pid}) is running on this data directory. ` +
        'Stop it first, or give this one a directory of its own with LATCHKEY_DATA_DIR.\n',
    )
    expect(await readiness()).toBe(200)
    const { accessToken } = issued(await newIssued())
    expect((await api(deployment, 'households', accessToken)).status).toBe(200)
  })
})

async function newIssued() {
  const tokens = await newTokens(deployment, partner, users[0] ?? '')
  return { status: 200, headers: new Headers(), body: { ...tokens } }
}

describe('PostgreSQL alone killed -9', () => {
  let server: RunningLatchkey
  beforeAll(async () => {
    server = await deployment.start()
  })
  afterAll(() => server.stop())

  test('the server answers 503 and never 401 until it has healed, within seconds', async () => {
    const { accessToken, refreshToken } = issued(await newIssued())
    const postgres = runningPostgres(deployment.dataDir)
    process.kill(postgres, 'SIGKILL')
    const seen = { api: new Set<number>(), token: new Set<number>(), ready: new Set<number>() }
    const killedAt = Date.now()
    let healed = false
    let current = refreshToken
    while (!healed && Date.now() - killedAt < 10_000) {
      const [listed, refreshed, ready] = await Promise.all([
        api(deployment, 'households', accessToken),
        refresh(deployment, partner, current),
        readiness(),
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

  test('a command that starts it again before the server does is no hindrance', async () => {
    const { accessToken } = issued(await newIssued())
    server.process.kill('SIGSTOP') // slow to notice
    process.kill(runningPostgres(deployment.dataDir), 'SIGKILL')
    const command = run('partner', 'list')
    const ended = once(command, 'exit')
    const answered = async () => (await api(deployment, 'households', accessToken)).status === 200
    try {
      await expectEventually(async () => postgresProcesses().length > 0, 10_000)
      command.kill('SIGSTOP') // and this one slow to leave
      server.process.kill('SIGCONT')
      await expectEventually(answered, 10_000)
    } finally {
      server.process.kill('SIGCONT')
      command.kill('SIGCONT')
    }
    expect(await ended).toEqual([0, null])
    await expectEventually(answered, 10_000)
  })

  test('the healed server is still alone on its directory', async () => {
    const other = await newDeployment({ LATCHKEY_DATA_DIR: deployment.dataDir })
    const { code, stderr } = await latchkey(['start'], other.env)
    other.remove()
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(`(process ${server.process.pid})`),
    })
  })
})

describe('SIGTERM', () => {
  test('lets requests in flight finish, ends with 0 and stops PostgreSQL', async () => {
    const server = await deployment.start()
    const logins = await Promise.all(users.map(loginPage))
    // Hashing takes each a while: when the first has its answer, the others are in the midst of it.
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
    expectNothingLeft()
    await expect(fetch(deployment.authUrl)).rejects.toThrow('fetch failed')
  })

  test('shortly after PostgreSQL was killed: it ends with 0 and leaves nothing', async () => {
    for (const pause of [0, 20, 150]) {
      const server = await deployment.start()
      process.kill(runningPostgres(deployment.dataDir), 'SIGKILL')
      await sleep(pause)
      expect(await server.stop()).toBe(0)
      expectNothingLeft()
    }
  })

  test('while it starts: it ends with 0 and leaves nothing', async () => {
    const starting = run('start')
    const exited = once(starting, 'exit')
    await expectEventually(async () => postgresProcesses().length > 0, 10_000)
    starting.kill('SIGTERM')
    expect(await exited).toEqual([0, null])
    expectNothingLeft()
  })

  test('twice: the second ends it at once', async () => {
    const server = await deployment.start()
    const client = await connectEmbedded(deployment.dataDir)
    // A lock that holds up every login, and with it the orderly end.
    await client.query('BEGIN; LOCK TABLE login_failures')
    const [visitor, page] = await loginPage()
    const held = visitor.post(new URL('/login', page.url).href, {
      ...fieldsOf(page, '/login'),
      email: emailOf('user1'),
      password,
    })
    held.catch(() => {})
    await sleep(200)
    const exited = once(server.process, 'exit')
    server.process.kill('SIGTERM')
    await sleep(200)
    expect(server.process.exitCode).toBeNull() // it waits for the request
    server.process.kill('SIGTERM')
    expect(await exited).toEqual([143, null])
    await expect(held).rejects.toThrow('fetch failed')
    await client.end()
    expect(names(await listPartners())).toEqual(['Test Partner'])
    expectNothingLeft()
  })
})

async function loginPage(): Promise<[Visitor, Page]> {
  const visitor = new Visitor()
  return [visitor, await authorize(visitor, deployment, partner)]
}

describe('a port that is taken', () => {
  test.each(['LATCHKEY_PORT', 'LATCHKEY_OPS_PORT'])('of %s is told, with exit code 1', async (variable) => {
    const squatter = createServer()
    squatter.listen(Number(deployment.env[variable]), '127.0.0.1')
    await once(squatter, 'listening')
    try {
      const { code, stdout, stderr } = await latchkey(['start'], deployment.env)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      const own = stderr.split('\n').filter((line) => line && !line.startsWith('{'))
      expect(own).toEqual([
        `Port ${deployment.env[variable]} is taken by another program. Stop it, or choose another with LATCHKEY_PORT and LATCHKEY_OPS_PORT.`,
      ])
      expectNothingLeft()
    } finally {
      squatter.close()
    }
  })

  test('an address that is not this machine is told as well', async () => {
    const { code, stderr } = await latchkey(['start'], { ...deployment.env, LATCHKEY_HOST: '203.0.113.7' })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'LATCHKEY_HOST is not an address of this machine.\n',
    })
    expectNothingLeft()
  })
})
