import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { text } from 'node:stream/consumers'

/** The processes of the server, and the postmaster, which represents all processes of its PostgreSQL. */
type Processes = { server: number[]; postmaster: number }

/** In the meter's unit, for all the work. */
type Cost = { server: number; database: number }

export type Meter = {
  /** The heading of its columns. */
  unit: 'CPU µs' | typeof instructionsUnit
  /** The heading of its ratios. */
  name: string
  /** One sentence that tells readers of a table what was measured. */
  about: string
  costOf<T>(processes: Processes, work: () => Promise<T>): Promise<Cost & { result: T }>
}

/** Thousands of instructions. */
export const instructionsUnit = 'k instr.'

let chosen: Meter | undefined

/**
 * Instructions hardly depend on other load on the machine, so they are counted if the processor lets perf count them.
 * Virtual machines often do not. Then the cost is CPU time.
 */
export function meter(): Meter {
  if (chosen) return chosen
  const counts = perfCounts()
  if (!counts) console.error('perf stat cannot count instructions on this machine; cost is CPU time')
  chosen = counts ? instructions : cpuTime
  return chosen
}

/** Operators size their machines by CPU time, so it is measured even where instructions are counted. */
export const cpuTime: Meter = {
  unit: 'CPU µs',
  name: 'CPU',
  about: 'Cost is CPU time in user and kernel mode from `/proc`.',
  async costOf({ server, postmaster }, work) {
    const used = () => ({
      server: server.reduce((sum, pid) => sum + cpuSeconds(pid), 0),
      database: databaseCpuSeconds(postmaster),
    })
    const before = used()
    const result = await work()
    const after = used()
    return {
      result,
      server: (after.server - before.server) * 1e6,
      database: (after.database - before.database) * 1e6,
    }
  },
}

/** USER_HZ: the unit of /proc, the same on every Linux that Node runs on. */
const ticksPerSecond = 100

/** Only Linux has /proc. On other systems the columns stay empty. */
const cpuIsKnown = existsSync('/proc/self/stat')

/** CPU seconds of a process so far, in user and kernel mode, all threads. */
function cpuSeconds(pid: number): number {
  const [utime = 0, stime = 0] = times(pid)
  return (utime + stime) / ticksPerSecond
}

/** CPU seconds of a PostgreSQL so far: the postmaster, its backends, and the backends that have exited. */
function databaseCpuSeconds(postmaster: number): number {
  if (!cpuIsKnown) return Number.NaN
  const ended = times(postmaster).reduce((sum, ticks) => sum + ticks, 0) / ticksPerSecond
  return childrenOf(postmaster).reduce((sum, pid) => sum + cpuSeconds(pid), ended)
}

function childrenOf(pid: number): number[] {
  return (readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').match(/\d+/g) ?? []).map(Number)
}

/** utime, stime, cutime and cstime: fields 14 to 17 of proc_pid_stat(5). Zeros if the process has exited. */
function times(pid: number): number[] {
  if (!cpuIsKnown) return [Number.NaN]
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const afterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return afterName.slice(11, 15).map(Number)
  } catch {
    return [0, 0, 0, 0]
  }
}

const perf = ['stat', '-x', ',', '-e', 'instructions:u,instructions:k']

const instructions: Meter = {
  unit: instructionsUnit,
  name: 'instructions',
  about:
    'Cost is thousands of instructions in user and kernel mode, counted by `perf stat`. ' +
    'Where a goal or a ratio says CPU, it means these instructions. Columns in CPU µs are CPU time from `/proc`.',
  async costOf({ server, postmaster }, work) {
    // perf follows the child processes that start from now on.
    const counters = [await startCounter(server), await startCounter([postmaster, ...childrenOf(postmaster)])]
    try {
      const result = await work()
      const [ofServer = Number.NaN, ofDatabase = Number.NaN] = await Promise.all(
        counters.map(({ read }) => read()),
      )
      return { result, server: ofServer / 1000, database: ofDatabase / 1000 }
    } finally {
      for (const { end } of counters) end()
    }
  },
}

/** A trial run. Without a hardware counter, or without permission to use it, perf prints a message instead of a number. */
function perfCounts(): boolean {
  const { status, stderr } = spawnSync('perf', [...perf, '--', 'true'], { encoding: 'utf8' })
  return status === 0 && Number.isFinite(total(stderr))
}

/** Starts counting for these processes. perf reports on a control channel when it has started, so no instruction is missed. */
async function startCounter(pids: number[]) {
  const child = spawn('perf', [...perf, '-D', '-1', '--control', 'fd:3,4', '-p', pids.join()], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  })
  const [, , stderr, control, answers] = child.stdio
  if (!(stderr && control instanceof Socket && answers instanceof Socket))
    throw new Error('perf has no pipes')
  const output = text(stderr)
  const failed = once(child, 'exit').then(async () => {
    throw new Error(`perf ended: ${await output}`)
  })
  failed.catch(() => {}) // matters only while a reply is awaited
  const tell = async (command: string) => {
    const answer = once(answers, 'data')
    control.write(`${command}\n`)
    await Promise.race([answer, failed])
  }
  await tell('enable')
  return {
    /** @returns instructions */
    async read(): Promise<number> {
      await tell('disable')
      child.kill('SIGINT')
      return total(await output)
    },
    end: () => child.kill('SIGINT'),
  }
}

/** The sum of all events in the output of `perf stat -x ,`. NaN if one of them was not counted. */
function total(output: string): number {
  const counts = [...output.matchAll(/^([^,\n]+),[^,]*,instructions:/gm)].map((found) => Number(found[1]))
  return counts.length === 2 ? counts.reduce((sum, count) => sum + count, 0) : Number.NaN
}
