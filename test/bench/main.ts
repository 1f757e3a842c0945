/**
 *   npm run bench [-- NAME… --households N --rounds N --seconds N --refreshes N --write]
 * prints tables of ratios, measured side by side in one run. `--households` can be given more than once.
 *   npm run bench -- --against DIR [NAME… --households N --rounds N --seconds N]
 * compares the cost of a call with that in another checkout, which must be built.
 */
import { availableParallelism, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { compareBuilds, operationNames } from './against.ts'
import { accounts } from './benches/accounts.ts'
import { conditional } from './benches/conditional.ts'
import { crawl } from './benches/crawl.ts'
import { directory } from './benches/directory.ts'
import { importRows } from './benches/import.ts'
import { limits } from './benches/limits.ts'
import { login } from './benches/login.ts'
import { page } from './benches/page.ts'
import { paging } from './benches/paging.ts'
import { rotation } from './benches/rotation.ts'
import { search } from './benches/search.ts'
import { exchange, introspect, refresh } from './benches/tokens.ts'
import { meter } from './cost.ts'
import { type Figures, writePages } from './pages.ts'
import { acrossSizes, type PagesAt } from './sizes.ts'
import { format, type Table } from './table.ts'
import { openWorld, type World } from './world.ts'

type Bench = (world: World) => Promise<Table[]>
const benches = new Map<string, Bench>([
  ['page', page],
  ['search', search],
  ['paging', paging],
  ['crawl', crawl],
  ['accounts', accounts],
  ['conditional', conditional],
  ['limits', limits],
  ['refresh', refresh],
  ['exchange', exchange],
  ['introspect', introspect],
  ['login', login],
  ['rotation', rotation],
  ['import', importRows],
  ['directory', directory],
])
/** Run only at the first size, because their data does not depend on it. */
const independentOfSize = ['rotation']

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    against: { type: 'string' },
    households: { type: 'string', multiple: true, default: ['10000'] },
    refreshes: { type: 'string', default: '20000' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
})
const known = values.against === undefined ? [...benches.keys()] : operationNames
const names = positionals.length > 0 ? positionals : known
const unknown = names.filter((name) => !known.includes(name))
if (unknown.length > 0) fail(`no bench ${unknown.join(', ')}; there are ${known.join(', ')}`)
if (values.write && (positionals.length > 0 || values.against !== undefined))
  fail('--write is for a run of all benches, without names and without --against')
// Many short rounds in quick succession, so that two builds run under the same conditions.
const [rounds, seconds] = values.against === undefined ? ['5', '2'] : ['7', '1']
const effort = {
  rounds: numberOf('rounds', values.rounds ?? rounds, 1),
  seconds: numberOf('seconds', values.seconds ?? seconds, 0.01),
  refreshes: numberOf('refreshes', values.refreshes, 100),
}
const sizes = values.households.map((households) => numberOf('households', households, 100))

const tables: string[] = []
const summary: Figures['summary'] = []
const goals: Figures['goals'] = []
const pages: PagesAt[] = []
let about = ''

if (values.against === undefined) {
  for (const households of sizes) await measure(households)
  for (const [i, table] of acrossSizes(pages).entries()) showTable(table, sizes[i + 1] ?? Number.NaN)
  if (values.write) writePages({ about, tables: tables.join('\n'), summary, goals })
} else {
  for (const households of sizes)
    await compareBuilds(values.against, names, households, effort).catch((error: Error) =>
      fail(error.message),
    )
}

async function measure(households: number): Promise<void> {
  console.error(`${households} households: importing, starting …`)
  const world = await openWorld(households, effort)
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void world.end().finally(() => process.exit(1)))
  try {
    if (about === '') {
      about = await machine(world)
      console.log(`${about}\n`)
    }
    show(`## ${households.toLocaleString('en-US')} households\n`)
    for (const name of names) {
      if (households !== sizes[0] && independentOfSize.includes(name)) continue
      const measured = (await benches.get(name)?.(world)) ?? []
      for (const table of measured) showTable(table, households)
      if (name === 'page') pages.push({ households, pages: measured })
    }
  } finally {
    await world.end()
  }
}

function showTable(table: Table, households: number): void {
  show(format(table))
  goals.push(...(table.verdicts ?? []).map((verdict) => ({ ...verdict, households })))
  summary.push(...(table.summary ?? []).map((line) => ({ ...line, households })))
}

function show(text: string): void {
  tables.push(text)
  console.log(text)
}

async function machine({ databaseUrl }: World): Promise<string> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const { rows } = await client.query('SHOW server_version')
  await client.end()
  const memory = Math.round(totalmem() / 2 ** 30)
  return (
    `${availableParallelism()} cores and ${memory} GiB, shared by load generator, server and database. ` +
    `Node ${process.versions.node}, PostgreSQL ${rows[0]?.server_version}, default settings. ` +
    `${effort.rounds} rounds of ${effort.seconds} s each. ${meter().about}`
  )
}

function numberOf(option: string, text: string, least: number): number {
  const number = Number(text)
  return number >= least ? number : fail(`--${option} must be ${least} or more, not "${text}"`)
}

function fail(reason: string): never {
  console.error(reason)
  process.exit(2)
}
