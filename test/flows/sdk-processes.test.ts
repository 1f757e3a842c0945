import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { fileStore } from '../../sdk/src/index.ts'
import { connectionOf } from '../support/connection.ts'
import { serverFixture } from '../support/fixtures.ts'
import { tokensAtRest } from '../support/sdk.ts'

const server = await serverFixture({ users: ['ada'], households: ['h1'] })
const partner = await server.partner()
const directory = mkdtempSync(join(tmpdir(), 'latchkey-sdk-'))
const store = fileStore(directory)

const tokenRequests = () => server.logs().split('oauth2/token').length

/** Starts `count` processes that share the store, lets each make `calls` calls at once. @returns the outcome of each call */
async function callsOf(count: number, calls: number, key: string): Promise<unknown[]> {
  const { authUrl, baseUrl } = server
  const input = JSON.stringify({ options: { authUrl, baseUrl, ...partner }, directory, key, calls })
  const program = fileURLToPath(new URL('../support/sdk-process.mjs', import.meta.url))
  const processes = Array.from({ length: count }, () => fork(program, [input], { execArgv: [] }))
  await Promise.all(processes.map(messageOf))
  const outcomes = await Promise.all(
    processes.map((child) => {
      const outcome = messageOf(child)
      child.send('go')
      return outcome
    }),
  )
  return outcomes.flat()
}

function messageOf(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', (code) => reject(new Error(`the process ended with ${code}`)))
  })
}

test('200 parallel calls of four processes with an expired access token: one refresh, and no call fails', async () => {
  const tokens = await tokensAtRest(server, partner, 'ada')
  await store.set('ada', tokens)
  const before = tokenRequests()
  const outcomes = await callsOf(4, 50, 'ada')
  expect(outcomes).toEqual(Array.from({ length: 200 }, () => 'fulfilled'))
  expect(tokenRequests() - before).toBe(1)
  expect(await connectionOf(server, tokens.refreshToken)).toMatchObject({ generation: 2, revoked: false })
  expect((await store.get('ada'))?.refreshToken).not.toBe(tokens.refreshToken)
})

test('only the user of the process can read the files, and none is left over', async () => {
  await store.set('../a key/with any characters', await tokensAtRest(server, partner, 'ada'))
  const files = readdirSync(directory)
  expect(files).toEqual(files.filter((name) => /^[0-9a-f]{64}$/.test(name)))
  for (const name of files) expect(statSync(join(directory, name)).mode & 0o077).toBe(0)
  await store.delete('../a key/with any characters')
  expect(await store.get('../a key/with any characters')).toBeUndefined()
})

test('the lock of a process that crashed is taken over after a minute', async () => {
  let lock = ''
  await store.lock('crash', async () => {
    lock = join(directory, readdirSync(directory).find((name) => name.endsWith('.lock')) ?? '')
  })
  writeFileSync(lock, '')
  utimesSync(lock, new Date(), new Date(Date.now() - 61_000))
  expect(await store.lock('crash', async () => 'taken')).toBe('taken')
})
