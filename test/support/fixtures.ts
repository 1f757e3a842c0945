import type { Browser } from 'playwright-core'
import { afterAll } from 'vitest'
import { closePages, openBrowser } from './browser.ts'
import { type TestDatabase, testDatabase } from './database.ts'
import { type SeedRows, seed } from './directory.ts'
import { type TestServer, testServer } from './server.ts'
import type { TestServerOptions } from './server-config.ts'

// Fixtures that the tests of a file share. Call each at the top level of the file. They are closed after the file's last
// test, in reverse order. Not `test.extend`: helper functions in a file use the same server without a parameter for it.

/** A server with these rows in its directory. `on` uses a database that the file already has. */
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

/** A database opened by `open`, by default an ordinary one. */
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
  const browser = await openBrowser()
  afterAll(() => closePages(browser))
  return browser
}
