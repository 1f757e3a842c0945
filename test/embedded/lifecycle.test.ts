import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tokensFor } from '../support/connection.ts'
import {
  createPartner,
  type Deployment,
  importUsers,
  newDeployment,
  postmasterPid,
  runningPostgres,
} from '../support/deployment.ts'
import {
  expectEventually,
  expectNothingLeft,
  partnerNames,
  postgresProcesses,
  readiness,
  spawnCommand,
} from '../support/embedded.ts'
import { api } from '../support/journey.ts'
import { killed, latchkey, type RunningLatchkey } from '../support/latchkey.ts'
import type { TestPartner } from '../support/server.ts'

let deployment: Deployment
let partner: TestPartner

beforeAll(async () => {
  deployment = await newDeployment()
  await importUsers(deployment, ['ann'])
  partner = await createPartner(deployment)
})
afterAll(() => deployment?.remove())

describe('commands without a server', () => {
  test('start PostgreSQL themselves and leave nothing running', async () => {
    expectNothingLeft(deployment)
    expect(await partnerNames(deployment)).toEqual(['Test Partner'])
    expectNothingLeft(deployment)
  })

  test('four at once share one PostgreSQL, and the last to leave stops it', { timeout: 90_000 }, async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => partnerNames(deployment)))
    expect(answers).toEqual(Array(4).fill(['Test Partner']))
    expectNothingLeft(deployment)
  })

  test('a command killed with -9 leaves an orphan, which the next command adopts and stops', async () => {
    const child = spawnCommand(deployment, 'partner', 'list')
    await expectEventually(async () => postgresProcesses(deployment).length > 0, 10_000)
    await killed(child)
    expect(postgresProcesses(deployment)).not.toEqual([])
    expect(await partnerNames(deployment)).toEqual(['Test Partner'])
    expectNothingLeft(deployment)
  })

  test('work when postmaster.pid of a killed PostgreSQL names an unrelated process', async () => {
    const child = spawnCommand(deployment, 'partner', 'list')
    await expectEventually(async () => postmasterPid(deployment.dataDir) !== undefined, 10_000)
    await killed(child)
    process.kill(runningPostgres(deployment.dataDir), 'SIGKILL')
    const other = spawn('sleep', ['60'])
    const file = join(deployment.dataDir, 'postgres', 'postmaster.pid')
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^\d+/, String(other.pid)))
    expect(await partnerNames(deployment)).toEqual(['Test Partner'])
    expectNothingLeft(deployment)
    expect(other.exitCode).toBeNull() // the unrelated process was not touched
    other.kill()
  })
})

describe('next to a running server', () => {
  let server: RunningLatchkey
  beforeAll(async () => {
    server = await deployment.start()
  })
  afterAll(() => server.stop())

  test('commands work, and do not stop its PostgreSQL', async () => {
    const postgres = runningPostgres(deployment.dataDir)
    const answers = await Promise.all(Array.from({ length: 2 }, () => partnerNames(deployment)))
    expect(answers).toEqual(Array(2).fill(['Test Partner']))
    expect(runningPostgres(deployment.dataDir)).toBe(postgres)
    expect(await readiness(deployment)).toBe(200)
  })

  test('its heartbeats are on the status page', async () => {
    const status = async () => (await fetch(`${deployment.authUrl}/status.json`)).json()
    await expectEventually(async () => (await status()).measured_since !== null, 20_000)
    expect(await status()).toMatchObject({ status: 'available' })
  })

  test('a second server names the process that uses the data directory and exits, without affecting the first', async () => {
    const other = await newDeployment({ LATCHKEY_DATA_DIR: deployment.dataDir })
    const { code, stdout, stderr } = await latchkey(['start'], other.env)
    other.remove()
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe(
      `Another Latchkey server (process ${server.process.pid}) is running on this data directory. ` +
        'Stop it first, or set LATCHKEY_DATA_DIR to a separate directory for this one.\n',
    )
    expect(await readiness(deployment)).toBe(200)
    const { accessToken } = await tokensFor(deployment, partner, 'ann')
    expect((await api(deployment, 'households', accessToken)).status).toBe(200)
  })

  test('that is killed with its PostgreSQL: commands work, although postmaster.pid names no existing process', async () => {
    process.kill(runningPostgres(deployment.dataDir), 'SIGKILL')
    await killed(server.process)
    expect(postmasterPid(deployment.dataDir)).toBeDefined()
    expect(await partnerNames(deployment)).toEqual(['Test Partner'])
    expectNothingLeft(deployment)
  })
})

describe('a port that is in use', () => {
  test.each(['LATCHKEY_PORT', 'LATCHKEY_OPS_PORT'])(
    'of %s is reported, with exit code 1',
    async (variable) => {
      const squatter = createServer()
      squatter.listen(Number(deployment.env[variable]), '127.0.0.1')
      await once(squatter, 'listening')
      try {
        const { code, stdout, stderr } = await latchkey(['start'], deployment.env)
        expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
        const own = stderr.split('\n').filter((line) => line && !line.startsWith('{'))
        expect(own).toEqual([
          `Another program uses port ${deployment.env[variable]}. Stop it, or choose another port with LATCHKEY_PORT, LATCHKEY_ADMIN_PORT and LATCHKEY_OPS_PORT.`,
        ])
        expectNothingLeft(deployment)
      } finally {
        squatter.close()
      }
    },
  )

  test('an address that does not belong to this machine is reported too', async () => {
    const { code, stderr } = await latchkey(['start'], { ...deployment.env, LATCHKEY_HOST: '203.0.113.7' })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'LATCHKEY_HOST, LATCHKEY_ADMIN_HOST or LATCHKEY_OPS_HOST is not an address of this machine.\n',
    })
    expectNothingLeft(deployment)
  })
})
