import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type pg from 'pg'
import Type from 'typebox'
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

async function load(file: string): Promise<Record<string, unknown>> {
  return import(pathToFileURL(resolve('dist', file)).href)
}
