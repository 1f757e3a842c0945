import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import Type, { type Static } from 'typebox'
import { Parse } from 'typebox/value'

const Statement = Type.Object({ name: Type.String(), text: Type.String() })

/**
 * The statement of a refresh with the newest token, as it was built, and the settings of the connections on which the server
 * runs it.
 */
export async function builtRefresh(url: string) {
  const [{ rotateNewestToken }, { poolConfig }] = [
    Parse(Type.Object({ rotateNewestToken: Statement }), { ...(await load('tokens/rotate.sql.js')) }),
    await load('database/database.js'),
  ]
  if (typeof poolConfig !== 'function') throw new Error('dist/database/database.js has no poolConfig')
  const settings: pg.PoolConfig = poolConfig(url, 'core')
  return { statement: rotateNewestToken, settings }
}

const Pages = Type.Object({ firm: Statement, granted: Statement })
export type PageRole = keyof Static<typeof Pages>

/** The statement of a page for callers with this role, as it was built, and what runs statements as the server does. */
export async function builtPage(url: string, role: PageRole) {
  const [{ listByRole }, { poolConfig }, { pipelined }] = [
    Parse(Type.Object({ listByRole: Pages }), { ...(await load('households/list-households.sql.js')) }),
    await load('database/database.js'),
    await load('database/pipelined.js'),
  ]
  if (typeof poolConfig !== 'function') throw new Error('dist/database/database.js has no poolConfig')
  if (typeof pipelined !== 'function') throw new Error('dist/database/pipelined.js has no pipelined')
  const settings: pg.PoolConfig = poolConfig(url, 'listing')
  const { query }: { query(query: pg.QueryConfig): Promise<pg.QueryResult> } = pipelined(
    new pg.Pool(settings),
  )
  const { name, text } = listByRole[role]
  return { statement: { name, text }, query }
}

async function load(file: string): Promise<Record<string, unknown>> {
  return import(pathToFileURL(resolve('dist', file)).href)
}
