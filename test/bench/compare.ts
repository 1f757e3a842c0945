import { cpuSeconds, databaseCpuSeconds } from './cpu.ts'
import type { Load } from './load.ts'
import { median, spread } from './statistics.ts'
import { number, percent, type Table, times } from './table.ts'

/** Something to be loaded. `pid` is the process whose CPU time counts as the server's. */
export type Contender = {
  name: string
  pid: number
  /** What a round needs and is not part of it. */
  prepare?(): Promise<void>
  load(seconds: number): Promise<Load>
}

export type Effort = { rounds: number; seconds: number }

/** Rates are calls a second, latencies milliseconds, CPU times microseconds a call. */
type Sample = { rate: number; p50: number; p99: number; serverCpu: number; databaseCpu: number; cpu: number }

/**
 * Loads each contender for a short round, and all of them again, round after round: whatever else the machine does
 * meets all alike. The first is the baseline. Its ratios are taken round by round, and the median of them is shown.
 */
export async function compare(
  about: { title: string; note: string },
  contenders: Contender[],
  effort: Effort,
  postmaster: number,
): Promise<Table> {
  for (const contender of contenders) await sample(contender, Math.min(1, effort.seconds), postmaster) // not counted
  const samples = contenders.map((): Sample[] => [])
  for (let round = 0; round < effort.rounds; round++) {
    for (const [i, contender] of contenders.entries()) {
      samples[i]?.push(await sample(contender, effort.seconds, postmaster))
    }
  }
  const baseline = samples[0] ?? []
  return {
    ...about,
    columns: [
      ...['', 'calls/s', 'spread', 'p50 ms', 'p99 ms', 'server CPU µs', 'database CPU µs'],
      ...['calls/s', 'p99', 'CPU'].map((what) => `${what} ratio`),
    ],
    rows: contenders.map(({ name }, i) => row(name, samples[i] ?? [], baseline)),
  }
}

async function sample(contender: Contender, seconds: number, postmaster: number): Promise<Sample> {
  const { pid, prepare, load } = contender
  await prepare?.()
  const before = { server: cpuSeconds(pid), database: databaseCpuSeconds(postmaster) }
  const { calls, elapsed, p50, p99 } = await load(seconds)
  const aCall = (since: number, now: number) => ((now - since) / calls) * 1e6
  const serverCpu = aCall(before.server, cpuSeconds(pid))
  const databaseCpu = aCall(before.database, databaseCpuSeconds(postmaster))
  return { rate: calls / elapsed, p50, p99, serverCpu, databaseCpu, cpu: serverCpu + databaseCpu }
}

function row(name: string, samples: Sample[], baseline: Sample[]): string[] {
  const all = (what: keyof Sample) => samples.map((one) => one[what])
  const ratio = (what: keyof Sample) =>
    times(median(samples.map((one, round) => one[what] / (baseline[round]?.[what] ?? Number.NaN))))
  return [
    name,
    number(median(all('rate'))),
    percent(spread(all('rate'))),
    ...(['p50', 'p99', 'serverCpu', 'databaseCpu'] as const).map((what) => number(median(all(what)))),
    ...(['rate', 'p99', 'cpu'] as const).map(ratio),
  ]
}
