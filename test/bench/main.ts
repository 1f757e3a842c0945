/**
 *   npm run bench [-- NAME… --households N --rounds N --seconds N --write]
 * prints tables of ratios, measured side by side in one run. `--households` can be given more than once.
 */
import { availableParallelism, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { conditional } from './benches/conditional.ts'
import { crawl } from './benches/crawl.ts'
import { depth } from './benches/depth.ts'
import { importRows } from './benches/import.ts'
import { page } from './benches/page.ts'
import { search } from './benches/search.ts'
import { exchange, refresh } from './benches/tokens.ts'
import { type Charted, chart } from './chart.tsx'
import { writePage } from './performance-page.ts'
import { acrossSizes, type PagesAt } from './sizes.ts'
import { format, type Table } from './table.ts'
import { openWorld, type World } from './world.ts'

type Bench = (world: World) => Promise<Table[]>
const benches = new Map<string, Bench>([
  ['page', page],
  ['search', search],
  ['depth', depth],
  ['crawl', crawl],
  ['conditional', conditional],
  ['refresh', refresh],
  ['exchange', exchange],
  ['import', importRows],
])

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    households: { type: 'string', multiple: true, default: ['10000'] },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    write: { type: 'boolean', default: false },
  },
})
const names = positionals.length > 0 ? positionals : [...benches.keys()]
const unknown = names.filter((name) => !benches.has(name))
if (unknown.length > 0) fail(`no bench ${unknown.join(', ')}; there are ${[...benches.keys()].join(', ')}`)
if (values.write && positionals.length > 0) fail('--write is for all benches in one run')
const effort = { rounds: atLeast('rounds', 1), seconds: atLeast('seconds', 0.01) }
const sizes = values.households.map((households) => numberOf('households', households, 100))

const figures: string[] = []
const charted: Charted[] = []
const pages: PagesAt[] = []
for (const households of sizes) await measure(households)
for (const [i, table] of acrossSizes(pages).entries()) showTable(table, sizes[i + 1] ?? Number.NaN)
if (values.write) writePage(figures.join('\n'), chart(charted))

async function measure(households: number): Promise<void> {
  console.error(`${households} households: importing, starting …`)
  const world = await openWorld(households, effort)
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void world.end().finally(() => process.exit(1)))
  try {
    if (figures.length === 0) show(await machine(world))
    show(`## ${households.toLocaleString('en-US')} households\n`)
    for (const name of names) {
      const tables = (await benches.get(name)?.(world)) ?? []
      for (const table of tables) showTable(table, households)
      if (name === 'page') pages.push({ households, pages: tables })
    }
  } finally {
    await world.end()
  }
}

function showTable(table: Table, households: number): void {
  show(format(table))
  charted.push(...(table.verdicts ?? []).map((verdict) => ({ ...verdict, households })))
}

function show(text: string): void {
  figures.push(text)
  console.log(text)
}

async function machine({ databaseUrl }: World): Promise<string> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const { rows } = await client.query('SHOW server_version')
  await client.end()
  const memory = Math.round(totalmem() / 2 ** 30)
  return (
    `${availableParallelism()} cores and ${memory} GiB for everything: load generator, server and database. ` +
    `Node ${process.versions.node}, PostgreSQL ${rows[0]?.server_version}, both as they come. ` +
    `${effort.rounds} rounds of ${effort.seconds} s each.\n`
  )
}

function atLeast(option: 'rounds' | 'seconds', least: number): number {
  return numberOf(option, values[option], least)
}

function numberOf(option: string, text: string, least: number): number {
  const number = Number(text)
  return number >= least ? number : fail(`--${option} must be ${least} or more, not "${text}"`)
}

function fail(reason: string): never {
  console.error(reason)
  process.exit(2)
}
