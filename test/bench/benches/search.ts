import { type Contender, compare, type Goal } from '../compare.ts'
import { type Reader, readerNames, readers, searched } from '../data.ts'
import { idle } from '../idle.ts'
import { bearer } from '../journey.ts'
import { loadHttp } from '../load.ts'
import type { Table } from '../table.ts'
import type { World } from '../world.ts'

const plain = 'plain page'

export const patterns = {
  '4 letters, in 1 of 20 names': searched.common,
  '9 letters, in 1 of 200 names': searched.middle,
  '7 letters, in one name': searched.rare,
  '2 letters, in 1 of 20 names': searched.pair,
  '2 letters, in one name': searched.rarePair,
  '2 characters, in no name': searched.nowherePair,
  '1 letter, in most names': searched.letter,
  '1 character, in no name': searched.nowhere,
}

/** A usual pattern, and the most expensive one (ADR 15). */
const summarized = ['4 letters, in 1 of 20 names', '9 letters, in 1 of 200 names']

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
  const contenders = Object.entries({ [plain]: undefined, ...patterns }).map(([name, pattern]) =>
    searching(world, reader, name, pattern),
  )
  const about = {
    title: `\`name_pattern\` of a user who ${readers[reader].who}`,
    note: 'The first 100 matches, against the first page without a pattern.',
    goals: goalsOf(reader),
    summary: summarized.map((of) => ({ of, operation: `search, ${reader}: ${of}` })),
  }
  return compare(about, contenders, world.effort, world.postmaster)
}

/**
 * Reads the first 100 households, or the first 100 that match the pattern. Searches that are left from the previous round
 * would count towards the limit of searches for each token, and the server would refuse some of this round.
 */
export function searching(world: World, reader: Reader, name: string, pattern?: string): Contender {
  const query = new URLSearchParams({ page_size: '100', ...(pattern && { name_pattern: pattern }) })
  const url = `${world.baseUrl}api/v1/households?${query}`
  const headers = bearer(world.tokens[reader])
  return {
    ...{ name, pids: [world.server] },
    prepare: () => idle(world.databaseUrl),
    load: (seconds) => loadHttp({ url, headers, duration: seconds }),
  }
}
