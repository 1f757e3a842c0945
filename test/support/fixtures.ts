import type { Browser } from 'playwright-core'
import { afterAll } from 'vitest'
import { launchBrowser } from './browser.ts'
import { type TestDatabase, testDatabase } from './database.ts'
import { type SeedRows, seed } from './directory.ts'
import { type TestServer, type TestServerOptions, testServer } from './server.ts'

// What a file's tests share. Each is called at the top level of the file, and closed after the file's last test, the
// last opened first. Not `test.extend`: the helpers of a file use the same server as its tests, without being given it.

/** A server with these rows in its directory. With `on`, a database that is the file's already. */
export async function serverFixture({
  users = [],
  households = [],
  accounts = [],
  ...options
}: SeedRows & TestServerOptions = {}): Promise<TestServer> {
  const server = await testServer(options)
  afterAll(() => server.close())
  await seed(server.database, { users, households, accounts })
  return server
}

/** A database by `open`, and only if nothing else is said an ordinary one. */
export function databaseFixture(): Promise<TestDatabase>
export function databaseFixture<Own extends TestDatabase>(open: () => Promise<Own>): Promise<Own>
export async function databaseFixture(
  open: () => Promise<TestDatabase> = testDatabase,
): Promise<TestDatabase> {
  const database = await open()
  afterAll(() => database.drop())
  return database
}

export async function browserFixture(): Promise<Browser> {
  const browser = await launchBrowser()
  afterAll(() => browser.close())
  return browser
}
