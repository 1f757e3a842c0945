import { createReadStream, createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { median, spread } from '../statistics.ts'
import { number, percent, type Table, times } from '../table.ts'
import { latchkey, type World } from '../world.ts'

/** In the order in which they refer to one another. */
const tables = ['firms', 'roles', 'users', 'households', 'accounts', 'account_access']

/** `latchkey import` into an empty database, against COPY of the same rows into the same tables. */
export async function importRows(world: World): Promise<Table[]> {
  await withClient(world.databaseUrl, async (client) => {
    for (const table of tables)
      await pipeline(client.query(copyTo(`COPY ${table} TO STDOUT`)), createWriteStream(rowsOf(world, table)))
    await client.query('CREATE DATABASE bench_empty')
  })
  await latchkey(['migrate'], environment(world, 'bench_empty'))

  const rates = { copy: [] as number[], import: [] as number[] }
  for (let round = 0; round < world.effort.rounds; round++) {
    rates.copy.push(await timed(world, () => copyAll(world)))
    rates.import.push(await timed(world, () => importAll(world)))
  }
  return [tableOf(world, rates)]
}

function tableOf({ csv }: World, rates: { copy: number[]; import: number[] }): Table {
  const row = (name: string, mine: number[]) => {
    const ratios = mine.map((rate, round) => rate / (rates.copy[round] ?? Number.NaN))
    return [name, number(median(mine)), percent(spread(mine)), times(median(ratios))]
  }
  return {
    title: `Import of ${number(csv.rows)} rows`,
    note:
      'COPY has the rows ready, folded names and hashes included, and checks nothing but the keys. ' +
      'The import is a process of its own, and its start is part of the time.',
    columns: ['', 'rows/s', 'spread', 'rows/s ratio'],
    rows: [row('COPY into the same tables', rates.copy), row('latchkey import', rates.import)],
  }
}

/** Rows a second into a new database. */
async function timed(world: World, work: () => Promise<unknown>): Promise<number> {
  await withClient(world.databaseUrl, async (client) => {
    await client.query('DROP DATABASE IF EXISTS bench_import WITH (FORCE)')
    await client.query('CREATE DATABASE bench_import TEMPLATE bench_empty')
    await client.query('CHECKPOINT') // neither pays for what the other left to be written
  })
  const started = performance.now()
  await work()
  return world.csv.rows / ((performance.now() - started) / 1000)
}

async function copyAll(world: World): Promise<void> {
  await withClient(databaseUrl(world, 'bench_import'), async (client) => {
    await client.query('BEGIN')
    for (const table of tables) {
      await pipeline(
        createReadStream(rowsOf(world, table)),
        client.query(copyFrom(`COPY ${table} FROM STDIN`)),
      )
    }
    await client.query('COMMIT')
  })
}

function importAll(world: World): Promise<string> {
  return latchkey(['import', world.csv.directory], environment(world, 'bench_import'))
}

function environment(world: World, database: string): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl(world, database),
    LATCHKEY_SECRET: 'a secret for the bench only, 32 bytes or more',
  }
}

function databaseUrl(world: World, database: string): string {
  return world.databaseUrl.replace(/\/latchkey$/, `/${database}`)
}

function rowsOf({ directory }: World, table: string): string {
  return join(directory, `${table}.copy`)
}

async function withClient(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
