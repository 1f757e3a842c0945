import pg from 'pg'
import { latchkey, type World } from './world.ts'

/** Creates another database in the PostgreSQL of this world, with the schema of Latchkey. @returns its address */
export async function newDatabase(world: World, name: string): Promise<string> {
  await withClient(world.databaseUrl, async (client) => {
    await client.query(`CREATE DATABASE ${name}`)
  })
  await latchkey(['migrate'], environment(world, name))
  return databaseUrl(world, name)
}

/** For a `latchkey` command that uses this database. */
export function environment(world: World, database: string): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl(world, database),
    LATCHKEY_SECRET: 'a secret for the bench only, 32 bytes or more',
  }
}

export function databaseUrl(world: World, database: string): string {
  return world.databaseUrl.replace(/\/latchkey$/, `/${database}`)
}

export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
