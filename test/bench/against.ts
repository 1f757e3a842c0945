import { existsSync } from 'node:fs'
import { patterns, searching } from './benches/search.ts'
import {
  codesFor,
  exchanging,
  introspecting,
  latchkeyIssuer,
  ownToken,
  refreshing,
  wantsIdToken,
} from './benches/tokens.ts'
import { type Contender, type Effort, sample } from './compare.ts'
import { meter } from './cost.ts'
import { readerNames } from './data.ts'
import { median } from './statistics.ts'
import { grid, number, times } from './table.ts'
import { openWorld, programOf, type World } from './world.ts'

/** Uncounted rounds in which the JavaScript code of the operation is compiled. */
const warmUps = 2

/** A selection of the patterns of the search bench, to keep the run short. */
const searches = [
  '4 letters, in 1 of 20 names',
  '9 letters, in 1 of 200 names',
  '7 letters, in one name',
  '1 letter, in most names',
] as const

const operations = new Map<string, (world: World) => Contender[] | Promise<Contender[]>>([
  ['page', (world) => readerNames.map((reader) => searching(world, reader, `page of 100, ${reader}`))],
  [
    'search',
    (world) =>
      readerNames.flatMap((reader) =>
        searches.map((name) => searching(world, reader, `search, ${reader}: ${name}`, patterns[name])),
      ),
  ],
  [
    'refresh',
    (world) => [
      refreshing('refresh', latchkeyIssuer(world)),
      refreshing('refresh with id_token', latchkeyIssuer(world), wantsIdToken),
    ],
  ],
  [
    'exchange',
    (world) => {
      const codes = codesFor(world.effort.seconds)
      return [
        exchanging('code exchange, RS256', latchkeyIssuer(world), codes),
        exchanging('code exchange, ES256', latchkeyIssuer(world, world.es256Partner), codes),
      ]
    },
  ],
  ['introspect', async (world) => [await introspecting('introspect', ownToken(world))]],
])

export const operationNames = [...operations.keys()]

/**
 * Loads the server of this checkout and the one of another in turn, one round each, and prints the relative cost of a
 * call. Both have the same data and their own PostgreSQL. @throws when the other checkout is not built
 */
export async function compareBuilds(
  checkout: string,
  names: string[],
  households: number,
  effort: Effort,
): Promise<void> {
  if (!existsSync(programOf(checkout))) throw new Error(`no build in ${checkout}: run "npm run build" there`)
  const worlds: World[] = []
  const end = async () => {
    for (const world of worlds.splice(0)) await world.end()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void end().finally(() => process.exit(1)))
  try {
    for (const directory of [checkout, '.']) {
      console.error(`${directory}: importing ${households} households, starting …`)
      worlds.push(await openWorld(households, effort, directory))
    }
    const [there, here] = worlds
    if (!there || !here) return
    const rows: string[][] = []
    for (const name of names) rows.push(...(await compareOperation(name, there, here)))
    const { unit, name } = meter()
    const columns = ['operation', `other, ${unit}`, `this, ${unit}`, `${name} ratio`, 'min', 'max']
    console.log(`${meter().about} ${effort.rounds} rounds of ${effort.seconds} s each, in turn.\n`)
    console.log(grid(columns, rows).join('\n'))
  } finally {
    await end()
  }
}

/** @returns a row for each contender: cost of a call there and here, and the ratio's median, least and greatest */
async function compareOperation(name: string, there: World, here: World): Promise<string[][]> {
  const contenders = async (world: World) => (await operations.get(name)?.(world)) ?? []
  const ours = await contenders(here)
  const pairs = (await contenders(there)).map((other, i) => [other, ours[i]] as const)
  const rows: string[][] = []
  for (const [other, mine] of pairs) {
    if (!mine) continue
    console.error(`${mine.name} …`)
    const costs: [number, number][] = []
    const round = async (): Promise<[number, number]> => [await cost(other, there), await cost(mine, here)]
    for (let i = 0; i < warmUps; i++) await round()
    for (let i = 0; i < there.effort.rounds; i++) costs.push(await round())
    const ratios = costs.map(([before, now]) => now / before)
    rows.push([
      mine.name,
      number(median(costs.map(([before]) => before))),
      number(median(costs.map(([, now]) => now))),
      ...[median(ratios), Math.min(...ratios), Math.max(...ratios)].map(times),
    ])
  }
  return rows
}

/** The cost of a call, for server and database together. */
async function cost(contender: Contender, { effort, postmaster }: World): Promise<number> {
  return (await sample(contender, effort.seconds, postmaster)).cpu
}
