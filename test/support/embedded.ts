import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type Deployment, isAlive, postmasterPid } from './deployment.ts'
import { latchkey, program } from './latchkey.ts'

/** The names of the partners, read by a command. The command needs the database and must succeed. */
export async function partnerNames(deployment: Deployment): Promise<string[]> {
  const { code, stdout, stderr } = await latchkey(['partner', 'list', '--json'], deployment.env)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout).map(({ name }: { name: string }) => name)
}

/** Starts a command and does not wait for it. */
export function spawnCommand(deployment: Deployment, ...args: string[]): ChildProcess {
  return spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env.PATH, ...deployment.env },
    stdio: 'ignore',
  })
}

export async function readiness(deployment: Deployment): Promise<number> {
  return (await fetch(`${deployment.opsUrl}/readyz`)).status
}

export async function expectEventually(holds: () => Promise<boolean>, milliseconds: number): Promise<void> {
  await expect.poll(holds, { timeout: milliseconds, interval: 20 }).toBe(true)
}

/** No PostgreSQL is still running here, with or without its postmaster.pid. */
export function expectNothingLeft(deployment: Deployment): void {
  const pid = postmasterPid(deployment.dataDir)
  expect(pid === undefined || !isAlive(pid)).toBe(true)
  expect(postgresProcesses(deployment)).toEqual([])
}

export function postgresProcesses(deployment: Deployment): number[] {
  const directory = join(deployment.dataDir, 'postgres')
  return commandLines().flatMap(([pid, line]) =>
    line.includes(` -D ${directory} `) && isAlive(pid) ? pid : [],
  )
}

function commandLines(): [pid: number, line: string][] {
  if (!existsSync('/proc/self/cmdline')) {
    const lines = execFileSync('ps', ['-axo', 'pid=,command='], { encoding: 'utf8' }).split('\n')
    return lines.map((line) => [Number.parseInt(line, 10), line])
  }
  return readdirSync('/proc').flatMap((name): [number, string][] => {
    if (!/^\d+$/.test(name)) return []
    try {
      return [[Number(name), readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ')]]
    } catch {
      return [] // the process exited meanwhile
    }
  })
}
