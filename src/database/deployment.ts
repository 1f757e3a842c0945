import type pg from 'pg'
import { type Environment, foreignMark } from '../environment.ts'
import { ExplainedError } from '../explained-error.ts'

export class WrongEnvironment extends ExplainedError {}

/**
 * A database belongs to one environment: the recorded one or, if none is recorded yet, the environment of the client ids
 * in it. This check works with any schema and changes nothing.
 * @throws {WrongEnvironment} when the database belongs to the other environment
 */
export async function checkEnvironment(client: pg.ClientBase, environment: Environment): Promise<void> {
  const owner = (await recordedEnvironment(client)) ?? (await environmentOfPartners(client, environment))
  if (owner !== undefined && owner !== environment) {
    throw new WrongEnvironment(
      `This database belongs to ${owner}, and LATCHKEY_ENVIRONMENT is ${environment}. Nothing was changed.`,
    )
  }
}

/** Records the environment at first use. @throws {WrongEnvironment} when another process recorded the other one first */
export async function recordEnvironment(client: pg.ClientBase, environment: Environment): Promise<void> {
  if ((await recordedEnvironment(client)) === undefined) {
    await client.query('INSERT INTO deployment (environment) VALUES ($1) ON CONFLICT DO NOTHING', [
      environment,
    ])
  }
  await checkEnvironment(client, environment)
}

async function recordedEnvironment(client: pg.ClientBase): Promise<string | undefined> {
  if (!(await hasTable(client, 'deployment'))) return undefined
  const { rows } = await client.query<{ environment: string }>('SELECT environment FROM deployment')
  return rows[0]?.environment
}

async function environmentOfPartners(
  client: pg.ClientBase,
  environment: Environment,
): Promise<Environment | undefined> {
  if (!(await hasTable(client, 'partners'))) return undefined
  const { mark, environment: other } = foreignMark(environment)
  const { rowCount } = await client.query('SELECT FROM partners WHERE starts_with(client_id, $1) LIMIT 1', [
    `${mark}_`,
  ])
  return rowCount === 0 ? undefined : other
}

async function hasTable(client: pg.ClientBase, name: string): Promise<boolean> {
  const { rowCount } = await client.query('SELECT WHERE to_regclass($1) IS NOT NULL', [name])
  return rowCount === 1
}
