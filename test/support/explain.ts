import pg from 'pg'
import {
  type Database,
  poolConfig,
  type Queries,
  type Statement,
  type Value,
  type WorkClass,
} from '../../src/database/database.ts'
import { urlOf } from './database.ts'

export type Explained = {
  name: string
  plan: string
  /** How many pages of the database the statement touched. */
  pages: number
}

/**
 * Prepares and runs a statement on a new connection with the server's settings for this class of work, so that
 * PostgreSQL chooses the same plan as for the server.
 */
export async function explain<Row>(
  database: Database,
  workClass: WorkClass,
  { name, text }: Statement<Row>,
  values: Value[],
): Promise<Explained> {
  const client = new pg.Client(poolConfig(urlOf(database), workClass))
  await client.connect()
  try {
    await client.query(`PREPARE explained AS ${text}`)
    const { rows } = await client.query(
      `EXPLAIN (ANALYZE, BUFFERS) EXECUTE explained (${values.map(literal).join(', ')})`,
    )
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    return { name, plan, pages: pagesOf(plan) }
  } finally {
    await client.end()
  }
}

/** Runs `work` and explains each statement that it runs through the given queries. */
export async function explained(
  database: Database,
  workClass: 'listing' | 'expensive',
  work: (queries: Queries) => Promise<unknown>,
): Promise<Explained[]> {
  const queries = database[workClass]
  const plans: Explained[] = []
  const note = async <Row>(statement: Statement<Row>, values: Value[]) => {
    plans.push(await explain(database, workClass, statement, values))
  }
  await work({
    run: (statement, values) => note(statement, values).then(() => queries.run(statement, values)),
    one: (statement, values) => note(statement, values).then(() => queries.one(statement, values)),
    maybe: (statement, values) => note(statement, values).then(() => queries.maybe(statement, values)),
  })
  return plans
}

function literal(value: Value): string {
  if (value === null) return 'NULL'
  if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'::bytea`
  if (value instanceof Date) return pg.escapeLiteral(value.toISOString())
  if (Array.isArray(value)) return value.length === 0 ? "'{}'" : `ARRAY[${value.map(literal).join(', ')}]`
  return pg.escapeLiteral(String(value))
}

/** The first line about buffers is for the whole statement. */
function pagesOf(plan: string): number {
  const shared = /Buffers: shared(?: hit=(\d+))?(?: read=(\d+))?/.exec(plan)
  return Number(shared?.[1] ?? 0) + Number(shared?.[2] ?? 0)
}
