import { cpuTime, meter } from './cost.ts'
import { type Limit, unitOf } from './goal.ts'
import type { Load } from './load.ts'
import { median, spread } from './statistics.ts'
import type { SummaryLine } from './summary.ts'
import { number, percent, type Table, times } from './table.ts'

/** A server or function under load. `pids`: the processes whose cost counts as the server's. */
export type Contender = {
  name: string
  pids: number[]
  /** Its process has just started: more rounds are needed until its hot code is compiled. */
  fresh?: true
  /** Prepares a round; its cost and time are not counted. */
  prepare?(): Promise<void>
  load(seconds: number): Promise<Load>
}

/** `refreshes` is the size of the rotation bench, which has no rounds. */
export type Effort = { rounds: number; seconds: number; refreshes: number }

/** Rates are calls per second, latencies milliseconds, `Cpu` the meter's unit per call, `Time` CPU µs per call. */
export type Sample = {
  rate: number
  p50: number
  p99: number
  serverCpu: number
  databaseCpu: number
  cpu: number
  serverTime: number
  databaseTime: number
}

/** A limit for the ratio of two contenders or, without `against`, for the cost of one in the unit of the limit. */
export type Goal = { goal: string; measure: keyof Sample; of: string; against?: string; limit: Limit }

/** `summary` selects the contenders for the summary table and names the operation there. */
export type About = {
  title: string
  note: string
  goals?: Goal[]
  summary?: { of: string; operation: string }[]
}

/**
 * Loads each contender for a short round, then all of them again, and so on, so that interference on the machine affects
 * all of them equally. The first is the baseline. Ratios are calculated per round, and their median is shown.
 */
export async function compare(
  { goals = [], summary = [], ...about }: About,
  contenders: Contender[],
  effort: Effort,
  postmaster: number,
): Promise<Table> {
  for (const contender of contenders) {
    const uncounted = contender.fresh ? 3 : 1
    for (let round = 0; round < uncounted; round++) await sample(contender, effort.seconds, postmaster)
  }
  const samples = new Map(contenders.map(({ name }): [string, Sample[]] => [name, []]))
  for (let round = 0; round < effort.rounds; round++) {
    for (const contender of contenders) {
      samples.get(contender.name)?.push(await sample(contender, effort.seconds, postmaster))
    }
  }
  const ratio = (measure: keyof Sample, of: string, against: string) => {
    const base = samples.get(against) ?? []
    const mine = samples.get(of) ?? []
    return median(mine.map((one, round) => one[measure] / (base[round]?.[measure] ?? Number.NaN)))
  }
  // A limit in another unit than the meter's cannot be judged.
  const amount = (measure: keyof Sample, of: string, limit: Limit) =>
    unitOf(limit) === meter().unit ? medianOf(samples.get(of) ?? [])[measure] : Number.NaN
  const baseline = contenders[0]?.name ?? ''
  return {
    ...about,
    columns: [
      ...['', 'calls/s', 'spread', 'p50 ms', 'p99 ms', `server ${meter().unit}`, `database ${meter().unit}`],
      ...['calls/s', 'p99', meter().name].map((what) => `${what} ratio`),
    ],
    rows: [...samples].map(([name, mine]) => [
      ...figures(name, mine),
      ...(['rate', 'p99', 'cpu'] as const).map((measure) => times(ratio(measure, name, baseline))),
    ]),
    verdicts: goals.map(({ goal, limit, measure, of, against }) => ({
      goal,
      limit,
      measured: against === undefined ? amount(measure, of, limit) : ratio(measure, of, against),
    })),
    medians: new Map([...samples].map(([name, mine]) => [name, medianOf(mine)])),
    summary: summary.map(({ of, operation }): SummaryLine => {
      const { rate, p99, serverTime, databaseTime } = medianOf(samples.get(of) ?? [])
      return {
        ...{ operation, rate, p99, serverTime, databaseTime },
        ...{ ratio: ratio('cpu', of, baseline), against: baseline },
      }
    }),
  }
}

/** One round of so many seconds. */
export async function sample(contender: Contender, seconds: number, postmaster: number): Promise<Sample> {
  const { pids, prepare, load } = contender
  await prepare?.()
  const processes = { server: pids, postmaster }
  const cost = await meter().costOf(processes, () => cpuTime.costOf(processes, () => load(seconds)))
  const { result: loaded, ...time } = cost.result
  const { calls, elapsed, p50, p99 } = loaded
  const [serverCpu, databaseCpu] = [cost.server / calls, cost.database / calls]
  return {
    ...{ rate: calls / elapsed, p50, p99, serverCpu, databaseCpu, cpu: serverCpu + databaseCpu },
    ...{ serverTime: time.server / calls, databaseTime: time.database / calls },
  }
}

function figures(name: string, samples: Sample[]): string[] {
  const middle = medianOf(samples)
  return [
    name,
    number(middle.rate),
    percent(spread(samples.map(({ rate }) => rate))),
    ...(['p50', 'p99', 'serverCpu', 'databaseCpu'] as const).map((measure) => number(middle[measure])),
  ]
}

function medianOf(samples: Sample[]): Sample {
  const of = (measure: keyof Sample) => median(samples.map((one) => one[measure]))
  return {
    rate: of('rate'),
    p50: of('p50'),
    p99: of('p99'),
    serverCpu: of('serverCpu'),
    databaseCpu: of('databaseCpu'),
    cpu: of('cpu'),
    serverTime: of('serverTime'),
    databaseTime: of('databaseTime'),
  }
}
