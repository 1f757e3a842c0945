import { existsSync, readFileSync } from 'node:fs'

/** USER_HZ: what /proc counts in, the same on every Linux that Node runs on. */
const ticksPerSecond = 100

/** /proc is Linux's; elsewhere the columns stay empty. */
const cpuIsKnown = existsSync('/proc/self/stat')

/** CPU seconds of a process so far, in user and kernel mode, all threads. */
export function cpuSeconds(pid: number): number {
  const [utime = 0, stime = 0] = times(pid)
  return (utime + stime) / ticksPerSecond
}

/** CPU seconds of a PostgreSQL so far: the postmaster, its back ends, and those that ended. */
export function databaseCpuSeconds(postmaster: number): number {
  if (!cpuIsKnown) return Number.NaN
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').match(/\d+/g) ?? []
  const ended = times(postmaster).reduce((sum, ticks) => sum + ticks, 0) / ticksPerSecond
  return children.map(Number).reduce((sum, pid) => sum + cpuSeconds(pid), ended)
}

/** utime, stime, cutime and cstime: fields 14 to 17 of proc_pid_stat(5). A process that just ended has used nothing. */
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
