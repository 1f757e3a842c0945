import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Peak memory of a process in MiB: VmHWM of proc_pid_status(5). NaN except on Linux. */
export async function peakMemory(pid: number, ended: Promise<unknown>): Promise<number> {
  let peak = Number.NaN
  let running = true
  const over = ended.finally(() => {
    running = false
  })
  while (running) {
    peak = read(pid) ?? peak
    await Promise.race([over, sleep(20)])
  }
  return peak
}

/** Undefined if the process has ended. */
function read(pid: number): number | undefined {
  try {
    const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return kibibytes === undefined ? undefined : Number(kibibytes) / 1024
  } catch {
    return undefined
  }
}
