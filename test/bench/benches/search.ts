import { compare, type Goal } from '../compare.ts'
import { type Reader, readerNames, readers, searched } from '../data.ts'
import { bearer } from '../journey.ts'
import { loadHttp } from '../load.ts'
import type { Table } from '../table.ts'
import type { World } from '../world.ts'

const plain = 'plain page'

const patterns = {
  '4 letters, in 1 of 20 names': searched.common,
  '9 letters, in 1 of 200 names': searched.middle,
  '7 letters, in one name': searched.rare,
  '2 letters, in 1 of 20 names': searched.pair,
  '2 letters, in one name': searched.rarePair,
  '2 characters, in no name': searched.nowherePair,
  '1 letter, in most names': searched.letter,
  '1 character, in no name': searched.nowhere,
}

const goalsOf = (reader: Reader): Goal[] =>
  Object.entries(patterns).map(([name, pattern]) => ({
    goal: `search, ${reader}: p99 of ${name}`,
    ...{ measure: 'p99', of: name, against: plain },
    limit: { atMost: pattern.length >= 3 ? 5 : 20 },
  }))

export async function search(world: World): Promise<Table[]> {
  const tables: Table[] = []
  for (const reader of readerNames) tables.push(await searchAs(world, reader))
  return tables
}

function searchAs(world: World, reader: Reader): Promise<Table> {
  const contenders = Object.entries({ [plain]: undefined, ...patterns }).map(([name, pattern]) => {
    const query = new URLSearchParams({ page_size: '100', ...(pattern && { name_pattern: pattern }) })
    const url = `${world.baseUrl}api/v1/households?${query}`
    const headers = bearer(world.tokens[reader])
    const load = (seconds: number) => loadHttp({ url, headers, duration: seconds })
    return { name, pids: [world.server], load }
  })
  const about = {
    title: `\`name_pattern\` of a user who ${readers[reader].who}`,
    note: 'The first 100 that match, against the first page without a pattern.',
    goals: goalsOf(reader),
  }
  return compare(about, contenders, world.effort, world.postmaster)
}
