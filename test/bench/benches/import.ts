import { createReadStream, createWriteStream, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { writeData } from '../data.ts'
import { databaseUrl, environment, newDatabase, withClient } from '../databases.ts'
import { median, spread } from '../statistics.ts'
import { number, percent, type Table, times } from '../table.ts'
import { importFiles, type World } from '../world.ts'

/** In the order of their foreign keys. */
const tables = ['firms', 'roles', 'users', 'households', 'accounts', 'account_access']

/** Larger sizes are imported only once, because comparing them with COPY would take hours. */
const largest = 1_000_000

const names = {
  copy: 'COPY into the same tables',
  first: 'latchkey import',
  same: '… again, nothing changed',
  renamed: '… again, 1% of the households renamed',
}

/** `latchkey import` into an empty database, against COPY of the same rows into the same tables; and its peak memory. */
export async function importRows(world: World): Promise<Table[]> {
  await newDatabase(world, 'bench_empty')
  const memory = await memoryOf(world)
  return world.households > largest ? [memory] : [await speedOf(world), memory]
}

async function speedOf(world: World): Promise<Table> {
  const { csv, effort } = world
  const renamed = join(world.directory, 'renamed')
  mkdirSync(renamed)
  await writeData(renamed, world.households, true)
  await withClient(world.databaseUrl, async (client) => {
    for (const table of tables)
      await pipeline(client.query(copyTo(`COPY ${table} TO STDOUT`)), createWriteStream(rowsOf(world, table)))
  })
  const rates = new Map(Object.values(names).map((name): [string, number[]] => [name, []]))
  const run = async (name: string, work: () => Promise<unknown>) => {
    const started = performance.now()
    await work()
    rates.get(name)?.push(csv.rows / ((performance.now() - started) / 1000))
  }
  const importInto = (directory: string) =>
    importFiles(directory, csv.rows, environment(world, 'bench_import'))
  for (let round = 0; round < effort.rounds; round++) {
    await emptyDatabase(world)
    await run(names.copy, () => copyAll(world))
    await emptyDatabase(world)
    await run(names.first, () => importInto(csv.directory))
    await run(names.same, () => importInto(csv.directory))
    await run(names.renamed, () => importInto(renamed))
  }
  return speedTable(csv.rows, rates)
}

function speedTable(rows: number, rates: Map<string, number[]>): Table {
  const copied = rates.get(names.copy) ?? []
  const ratio = (rates: number[]) => median(rates.map((rate, round) => rate / (copied[round] ?? Number.NaN)))
  return {
    title: `Import of ${number(rows)} rows`,
    note:
      '`COPY` gets finished rows, with folded names and password hashes, and checks only the keys. ' +
      'The import is a separate process, whose start is part of the time.',
    columns: ['', 'rows/s', 'spread', 'rows/s ratio'],
    rows: [...rates].map(([name, mine]) => [
      name,
      number(median(mine)),
      percent(spread(mine)),
      times(ratio(mine)),
    ]),
    verdicts: [
      {
        goal: 'import: rows/s against COPY',
        limit: { atLeast: 0.5 },
        measured: ratio(rates.get(names.first) ?? []),
      },
    ],
  }
}

/** Peak memory of the import that filled this database, and of an import of a tenth of it. */
async function memoryOf(world: World): Promise<Table> {
  const directory = join(world.directory, 'tenth')
  mkdirSync(directory)
  const rows = await writeData(directory, Math.floor(world.households / 10))
  await emptyDatabase(world)
  const tenth = await importFiles(directory, rows, environment(world, 'bench_import'))
  const all = world.imported
  const growth = all.peak / tenth.peak
  return {
    title: `Memory of an import of ${number(all.rows)} rows`,
    note:
      'Peak memory of the import process, against an import of a tenth: the size of the import must not matter.' +
      (world.households > largest
        ? ` The comparison with \`COPY\` would take hours, so it ends at ${number(largest)} households.`
        : ''),
    columns: ['', 'rows', 'seconds', 'rows/s', 'peak MiB', 'peak ratio'],
    rows: [
      { name: 'a tenth', ...tenth, ratio: 1 },
      { name: 'this world', ...all, ratio: growth },
    ].map(({ name, rows, elapsed, peak, ratio }) => [
      name,
      ...[rows, elapsed, rows / elapsed, peak].map(number),
      times(ratio),
    ]),
    verdicts: [
      { goal: 'import: memory against an import of a tenth', limit: { atMost: 1.3 }, measured: growth },
    ],
  }
}

async function emptyDatabase(world: World): Promise<void> {
  await withClient(world.databaseUrl, async (client) => {
    await client.query('DROP DATABASE IF EXISTS bench_import WITH (FORCE)')
    await client.query('CREATE DATABASE bench_import TEMPLATE bench_empty')
    await client.query('CHECKPOINT') // so that no import includes the cost of earlier writes
  })
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

function rowsOf({ directory }: World, table: string): string {
  return join(directory, `${table}.copy`)
}
