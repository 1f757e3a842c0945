import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Parse } from 'typebox/value'
import { Load, loadHttp } from '../load.ts'
import type { BareSqlRound } from './bare-sql.ts'
import type { StatementRouteSettings } from './statement-route.ts'

export type BareSql = { pid: number; load(round: BareSqlRound): Promise<Load>; stop(): void }

export function startBareSql(databaseUrl: string): BareSql {
  const { pid, ask, stop } = startPeer('bare-sql', { DATABASE_URL: databaseUrl })
  return { pid, load: async (round) => Parse(Load, await ask(round)), stop }
}

export type StaticRoute = { pid: number; load(seconds: number): Promise<Load>; stop(): void }

export async function startStaticRoute(body: string): Promise<StaticRoute> {
  const { pid, ask, stop } = startPeer('static-route')
  const url = `${await ask(body)}/`
  return { pid, load: (seconds) => loadHttp({ url, duration: seconds }), stop }
}

export type StatementRoute = { pid: number; url: string; stop(): void }

export async function startStatementRoute(settings: StatementRouteSettings): Promise<StatementRoute> {
  const { pid, ask, stop } = startPeer('statement-route')
  return { pid, url: `${await ask(settings)}/`, stop }
}

export type IdentityProvider = {
  issuer: string
  /** The provider reads the public keys of its client there. */
  setClientKeys(jwksUri: string): Promise<void>
  stop(): void
}

export async function startIdentityProvider(): Promise<IdentityProvider> {
  const { ask, stop } = startPeer('identity-provider')
  const issuer = String(await ask('address'))
  return { issuer, setClientKeys: async (jwksUri) => void (await ask(jwksUri)), stop }
}

/** Starts a process that runs `peers/NAME`. `ask` sends it a message and waits for the reply. */
export function startPeer(name: string, env: Record<string, string> = {}) {
  const file = fileURLToPath(new URL(`./${name}.js`, import.meta.url))
  const production = { PATH: process.env.PATH, NODE_ENV: 'production' }
  const child: ChildProcess = fork(file, { env: { ...production, ...env } })
  if (child.pid === undefined) throw new Error(`${name} did not start`)
  const died = once(child, 'exit').then(() => {
    throw new Error(`${name} ended`)
  })
  died.catch(() => {}) // matters only while a reply is awaited
  const ask = async (message: string | object): Promise<unknown> => {
    const answer = once(child, 'message')
    child.send(message)
    return (await Promise.race([answer, died]))[0]
  }
  return { pid: child.pid, ask, stop: () => void (child.connected && child.disconnect()) }
}
