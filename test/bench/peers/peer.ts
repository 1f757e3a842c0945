import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Parse } from 'typebox/value'
import { Load, loadHttp } from '../load.ts'
import type { BareSqlRound } from './bare-sql.ts'

export type BareSql = {
  pid: number
  load(statement: Omit<BareSqlRound, 'seconds'>, seconds: number): Promise<Load>
  stop(): void
}

export function startBareSql(databaseUrl: string): BareSql {
  const { pid, ask, stop } = start('bare-sql', { DATABASE_URL: databaseUrl })
  return { pid, load: async (statement, seconds) => Parse(Load, await ask({ ...statement, seconds })), stop }
}

export type StaticRoute = { pid: number; load(seconds: number): Promise<Load>; stop(): void }

export async function startStaticRoute(body: string): Promise<StaticRoute> {
  const { pid, ask, stop } = start('static-route', {})
  const url = `${await ask(body)}/`
  return { pid, load: (seconds) => loadHttp({ url, duration: seconds }), stop }
}

function start(name: string, env: Record<string, string>) {
  const file = fileURLToPath(new URL(`./${name}.js`, import.meta.url))
  const child: ChildProcess = fork(file, { env: { PATH: process.env.PATH, ...env } })
  if (child.pid === undefined) throw new Error(`${name} did not start`)
  /** A message to our own program, and its answer. */
  const ask = async (message: string | object): Promise<unknown> => {
    const answer = once(child, 'message')
    child.send(message)
    return (await answer)[0]
  }
  return { pid: child.pid, ask, stop: () => void child.disconnect() }
}
