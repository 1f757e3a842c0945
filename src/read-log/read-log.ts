import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../database/database.ts'
import { BackgroundJob } from '../process/background-job.ts'
import { HouseholdNumbers, type Ranges, toRanges } from './household-numbers.ts'
import type { ShownHouseholds } from './shown-households.ts'
import { addReads } from './write-reads.sql.ts'

/** Milliseconds between two writes. With the time of a write, a process that is killed loses less than five seconds. */
const intervalMs = 4000

/** Ranges and ids that wait for the database at most. A batch with `fullBatch` of them is written earlier. */
const mostWaiting = 400_000
const fullBatch = 20_000

const dayMs = 86_400_000

export type Reader = { grantId: string; clientId: string; userId: string }

/** What one grant has read on one day: how often each page, and households without a known number, once for each answer. */
type DayOfGrant = { reader: Reader; day: string; pages: Map<Ranges, number>; ids: string[] }

/** An entry for each range, as the arrays that `addReads` takes. */
type Pieces = { grants: string[]; days: string[]; lows: string[]; highs: string[]; reads: string[] }

/**
 * Records which households each grant reads (docs/adr/0039). An answer counts once for each household in it, on its day in UTC.
 * Answers do not wait for it: they are counted in memory, and the counts are written every few seconds.
 */
export class ReadLog {
  readonly #database: Database
  readonly #logger: FastifyBaseLogger
  readonly #job: BackgroundJob
  readonly #numbers = new HouseholdNumbers()
  /** Answers that are not counted yet. They are, as soon as they have been sent. */
  #answers: { reader: Reader; at: number; shown: ShownHouseholds }[] = []
  #waiting = new Map<string, DayOfGrant>()
  #size = 0
  #dropped = 0

  constructor(database: Database, logger: FastifyBaseLogger) {
    this.#database = database
    this.#logger = logger
    // A write never rejects, so there is no error to handle.
    this.#job = new BackgroundJob({ everyMs: intervalMs, run: () => this.#writeBatch(), onError: () => {} })
  }

  /** Writes every few seconds until `stop`. */
  start(): void {
    this.#job.start()
  }

  read(reader: Reader, at: Date, shown: ShownHouseholds): void {
    if (this.#answers.length === 0) setImmediate(() => this.#takeAnswers())
    this.#answers.push({ reader, at: at.getTime(), shown })
  }

  /** Writes all reads so far. Runs twice, because the current run may lack the latest reads. Never rejects. */
  async write(): Promise<void> {
    await this.#job.run()
    await this.#job.run()
  }

  /** Writes the remaining reads. Resolves when the database is no longer needed. */
  async stop(): Promise<void> {
    await this.#job.stop()
    await this.write()
  }

  #takeAnswers(): void {
    this.#count()
    if (this.#size >= fullBatch) void this.#job.run()
  }

  #count(): void {
    const answers = this.#answers
    this.#answers = []
    for (const { reader, at, shown } of answers) {
      const { pages, ids } = this.#dayOf(reader, Math.floor(at / dayMs))
      const { ranges, unknown } = this.#numbers.rangesOf(shown)
      this.#addPage(pages, ranges, 1)
      if (unknown.length > 0 && this.#hasRoom(unknown.length)) ids.push(...unknown)
    }
  }

  #dayOf(reader: Reader, day: number): DayOfGrant {
    const key = `${reader.grantId} ${day}`
    let found = this.#waiting.get(key)
    if (!found) {
      const iso = new Date(day * dayMs).toISOString().slice(0, 10)
      found = { reader, day: iso, pages: new Map(), ids: [] }
      this.#waiting.set(key, found)
    }
    return found
  }

  #addPage(pages: Map<Ranges, number>, ranges: Ranges, reads: number): void {
    const before = pages.get(ranges)
    if (ranges.length > 0 && (before !== undefined || this.#hasRoom(ranges.length / 2)))
      pages.set(ranges, (before ?? 0) + reads)
  }

  #hasRoom(entries: number): boolean {
    const fits = this.#size + entries <= mostWaiting
    if (fits) this.#size += entries
    else this.#dropped += entries
    return fits
  }

  async #writeBatch(): Promise<void> {
    this.#count()
    if (this.#dropped > 0) this.#logger.warn({ event: 'read_log', outcome: 'dropped', reads: this.#dropped })
    this.#dropped = 0
    if (this.#waiting.size === 0) return
    const batch = [...this.#waiting.values()]
    this.#waiting = new Map()
    this.#size = 0
    try {
      const ids = new Set(batch.flatMap((day) => day.ids))
      const numbers = await this.#numbers.learn(this.#database, ids)
      await this.#database.run(addReads, valuesOf(batch, numbers))
    } catch (error) {
      this.#numbers.forget()
      this.#keep(batch)
      this.#logger.error({ event: 'read_log', outcome: 'not_written', grants: batch.length, error })
    }
  }

  /** Keeps a batch that could not be written for the next write. If the database did commit it, it is counted twice. */
  #keep(batch: DayOfGrant[]): void {
    for (const { reader, day, pages, ids } of batch) {
      const later = this.#dayOf(reader, Date.parse(day) / dayMs)
      for (const [ranges, reads] of pages) this.#addPage(later.pages, ranges, reads)
      if (this.#hasRoom(ids.length)) later.ids.push(...ids)
    }
  }
}

function valuesOf(batch: DayOfGrant[], numbers: Map<string, number>): string[][] {
  const pieces: Pieces = { grants: [], days: [], lows: [], highs: [], reads: [] }
  for (const { reader, day, pages, ids } of batch) {
    for (const [ranges, reads] of [...pages, ...pagesOf(ids, numbers)]) {
      for (let n = 0; n + 1 < ranges.length; n += 2) {
        pieces.grants.push(reader.grantId)
        pieces.days.push(day)
        pieces.lows.push(String(ranges[n]))
        pieces.highs.push(String(ranges[n + 1]))
        pieces.reads.push(String(reads))
      }
    }
  }
  const { grants, days, lows, highs, reads } = pieces
  const readers = [...new Map(batch.map(({ reader }) => [reader.grantId, reader])).values()]
  return [
    grants,
    days,
    lows,
    highs,
    reads,
    readers.map(({ grantId }) => grantId),
    readers.map(({ userId }) => userId),
    readers.map(({ clientId }) => clientId),
  ]
}

/** The ranges of the households that were read once, of those that were read twice, and so on. */
function pagesOf(ids: string[], numbers: Map<string, number>): [Ranges, number][] {
  const reads = new Map<string, number>()
  for (const id of ids) reads.set(id, (reads.get(id) ?? 0) + 1)
  const byReads = new Map<number, number[]>()
  for (const [id, count] of reads) {
    const same = byReads.get(count) ?? []
    const number = numbers.get(id)
    if (number !== undefined) same.push(number)
    byReads.set(count, same)
  }
  return [...byReads].map(([count, same]) => [toRanges(same), count])
}
