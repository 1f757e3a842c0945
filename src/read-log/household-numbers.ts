import type { Database } from '../database/database.ts'
import { Recent } from '../process/recent.ts'
import type { ShownHouseholds } from './shown-households.ts'
import { numberHouseholds } from './write-reads.sql.ts'

/** Household ids in one statement. */
const idsAtOnce = 5000

/** The memory of each generation of the two caches: ids, and characters of pages. */
const knownIds = 125_000
const knownCharacters = 4_000_000

/** Ranges of numbers: first, after the last, first, after the last … Equal pages have the same object. */
export type Ranges = readonly number[]

/**
 * The numbers under which the read log stores households. The process remembers those of many households, and of whole pages:
 * partners read the same pages again and again.
 */
export class HouseholdNumbers {
  readonly #numbers = new Recent<number>(knownIds)
  readonly #pages = new Recent<{ json: string; ranges: Ranges }>(knownCharacters)

  /** The ranges of the households with known numbers, and the ids of the others, each once. */
  rangesOf({ json, ids: idsOf }: ShownHouseholds): { ranges: Ranges; unknown: string[] } {
    const key = `${json.length} ${json.slice(0, 60)}`
    const known = this.#pages.get(key)
    if (known?.json === json) return { ranges: known.ranges, unknown: [] }
    const numbers: number[] = []
    const unknown = new Set<string>()
    for (const id of idsOf(json)) {
      const number = this.#numbers.get(id)
      if (number === undefined) unknown.add(id)
      else numbers.push(number)
    }
    const ranges = toRanges(numbers)
    if (unknown.size === 0) this.#pages.set(key, { json, ranges }, json.length)
    return { ranges, unknown: [...unknown] }
  }

  /** Finds the numbers of these households, and gives new ones. @throws {DatabaseUnavailable} */
  async learn(database: Database, ids: Set<string>): Promise<Map<string, number>> {
    const found = new Map<string, number>()
    // The second attempt finds the numbers that another server gave during the first.
    for (let attempt = 0; attempt < 2 && found.size < ids.size; attempt++) {
      const missing = [...ids].filter((id) => !found.has(id))
      for (let from = 0; from < missing.length; from += idsAtOnce) {
        const rows = await database.run(numberHouseholds, [missing.slice(from, from + idsAtOnce)])
        for (const { household_id: id, number } of rows) found.set(id, number)
      }
    }
    for (const [id, number] of found) this.#numbers.set(id, number)
    return found
  }

  /** After a failover, the database may have lost numbers that it had given. */
  forget(): void {
    this.#numbers.clear()
    this.#pages.clear()
  }
}

/** A number that occurs twice is in one range. */
export function toRanges(numbers: number[]): Ranges {
  const ranges: number[] = []
  for (const number of numbers.sort((a, b) => a - b)) {
    const end = ranges.at(-1)
    if (end === number) ranges[ranges.length - 1] = number + 1
    else if (end === undefined || end < number) ranges.push(number, number + 1)
  }
  return ranges
}
