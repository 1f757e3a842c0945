import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { type Deployment, newDeployment } from '../support/deployment.ts'
import type { RunningLatchkey } from '../support/latchkey.ts'

let db: TestDatabase
let latchkey: Deployment

beforeAll(async () => {
  db = await testDatabase()
  latchkey = await newDeployment({
    DATABASE_URL: db.url,
    LATCHKEY_SECRET: 'a secret for tests, of 32 bytes or more',
  })
})
afterAll(async () => {
  latchkey.remove()
  await db.drop()
})

const running: RunningLatchkey[] = []
async function start(stderr: number): Promise<RunningLatchkey> {
  const server = await latchkey.start(stderr)
  running.push(server)
  return server
}

const open: number[] = []
afterEach(() => {
  for (const { process } of running.splice(0)) process.kill('SIGKILL')
  for (const fd of open.splice(0)) closeSync(fd)
})
function opened(path: string, flags: string | number): number {
  const fd = openSync(path, flags)
  open.push(fd)
  return fd
}

/** A pipe that only the test reads. Its ends are opened separately, because `spawn` makes the end that it gets blocking. */
function pipe(name: string): { reader: number; writer: number } {
  const path = join(latchkey.dataDir, name)
  execFileSync('mkfifo', [path])
  const reader = opened(path, constants.O_RDONLY | constants.O_NONBLOCK)
  return { reader, writer: opened(path, 'w') }
}

const idPadding = 'x'.repeat(120)

/** Sends so many requests. The log lines of 300 are more than the 64 KB that fit into a pipe. */
async function expectServed(requests: number): Promise<void> {
  for (let i = 0; i < requests; i += 50) {
    const answers = Array.from({ length: 50 }, (_, n) =>
      fetch(`${latchkey.authUrl}/.well-known/jwks.json`, {
        headers: { 'x-api-request-id': `${idPadding}-${i + n}` },
        signal: AbortSignal.timeout(10_000),
      }),
    )
    for (const answer of await Promise.all(answers)) {
      expect(answer.status).toBe(200)
      await answer.arrayBuffer()
    }
  }
  const health = await fetch(`${latchkey.opsUrl}/livez`, { signal: AbortSignal.timeout(10_000) })
  expect(health.status).toBe(200)
}

describe('45: logging never stops the server', () => {
  test('the log’s disk is full from the start: requests are served, and SIGTERM ends the server', async () => {
    const server = await start(opened('/dev/full', 'w'))
    await expectServed(100)
    expect(await server.stop()).toBe(0)
  })

  test('no process reads the log: requests are served, and SIGTERM ends the server', async () => {
    const server = await start(pipe('stalled').writer)
    await expectServed(300)
    expect(await server.stop()).toBe(0)
  })

  test('the reader of the log continues: it gets every line exactly once', async () => {
    const { reader, writer } = pipe('slow')
    const server = await start(writer)
    await expectServed(300)
    const stopped = server.stop()
    let text = ''
    const buffer = Buffer.alloc(64 * 1024)
    const read = () => {
      try {
        text += buffer.toString('utf8', 0, readSync(reader, buffer))
      } catch {} // nothing to read now
    }
    const reading = setInterval(read, 5)
    expect(await stopped).toBe(0)
    clearInterval(reading)
    read()
    expect(text.length).toBeGreaterThan(64 * 1024)
    const ids = text
      .split('\n')
      .flatMap((line) => (line ? String(JSON.parse(line).request_id) : []))
      .filter((id) => id.startsWith(idPadding))
    expect(ids).toHaveLength(300)
    expect(new Set(ids).size).toBe(300)
  })

  test('the reader of the log exits: requests are served, and SIGTERM ends the server', async () => {
    const { reader, writer } = pipe('ended')
    const server = await start(writer)
    closeSync(reader)
    open.splice(open.indexOf(reader), 1)
    await expectServed(100)
    expect(await server.stop()).toBe(0)
  })
})
