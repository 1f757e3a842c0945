import { cpuSeconds, databaseCpuSeconds } from './cpu.ts'
import type { Limit } from './goal.ts'
import type { Load } from './load.ts'
import { median, spread } from './statistics.ts'
import { number, percent, type Table, times } from './table.ts'

/** Something to be loaded. `pids` are the processes whose CPU time counts as the server's. */
export type Contender = {
  name: string
  pids: number[]
  /** Its process has just started: the first rounds go by until what is run again and again is compiled. */
  fresh?: true
  /** What a round needs and is not part of it. */
  prepare?(): Promise<void>
  load(seconds: number): Promise<Load>
}

export type Effort = { rounds: number; seconds: number }

/** Rates are calls a second, latencies milliseconds, CPU times microseconds a call. */
export type Sample = {
  rate: number
  p50: number
  p99: number
  serverCpu: number
  databaseCpu: number
  cpu: number
}

/** A ratio of two contenders, and what it is asked to be. */
export type Goal = { goal: string; measure: keyof Sample; of: string; against: string; limit: Limit }

export type About = { title: string; note: string; goals?: Goal[] }

/**
 * Loads each contender for a short round, and all of them again, round after round: whatever else the machine does
 * meets all alike. The first is the baseline. Ratios are taken round by round, and the median of them is shown.
 */
export async function compare(
  { goals = [], ...about }: About,
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
  const baseline = contenders[0]?.name ?? ''
  return {
    ...about,
    columns: [
      ...['', 'calls/s', 'spread', 'p50 ms', 'p99 ms', 'server CPU µs', 'database CPU µs'],
      ...['calls/s', 'p99', 'CPU'].map((what) => `${what} ratio`),
    ],
    rows: [...samples].map(([name, mine]) => [
      ...figures(name, mine),
      ...(['rate', 'p99', 'cpu'] as const).map((measure) => times(ratio(measure, name, baseline))),
    ]),
    verdicts: goals.map(({ goal, limit, measure, of, against }) => ({
      goal,
      limit,
      measured: ratio(measure, of, against),
    })),
    medians: new Map([...samples].map(([name, mine]) => [name, medianOf(mine)])),
  }
}

async function sample(contender: Contender, seconds: number, postmaster: number): Promise<Sample> {
  const { pids, prepare, load } = contender
  const serverSeconds = () => pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0)
  await prepare?.()
  const before = { server: serverSeconds(), database: databaseCpuSeconds(postmaster) }
  const { calls, elapsed, p50, p99 } = await load(seconds)
  const aCall = (since: number, now: number) => ((now - since) / calls) * 1e6
  const serverCpu = aCall(before.server, serverSeconds())
  const databaseCpu = aCall(before.database, databaseCpuSeconds(postmaster))
  return { rate: calls / elapsed, p50, p99, serverCpu, databaseCpu, cpu: serverCpu + databaseCpu }
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
  }
}
