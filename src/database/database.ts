import { Socket } from 'node:net'
import pg from 'pg'
import Type, { type Static, type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { ExplainedError } from '../explained-error.ts'

/** A named prepared statement with the shape of its rows. Build one with `statement`. */
export type Statement<Row> = { name: string; text: string; parse(row: unknown): Row }

/** A value of a statement's parameter. Dates are instants; a Buffer is `bytea`. */
export type Value = string | number | boolean | Date | Buffer | null | string[] | Buffer[]

export type Queries = {
  /** @throws {DatabaseUnavailable} when PostgreSQL cannot be reached, is overloaded or gave up in time */
  run<Row>(statement: Statement<Row>, values: Value[]): Promise<Row[]>
  /** The row of a statement that always gives one. */
  one<Row>(statement: Statement<Row>, values: Value[]): Promise<Row>
  /** The row of a statement that gives one or none. */
  maybe<Row>(statement: Statement<Row>, values: Value[]): Promise<Row | undefined>
}

/**
 * PostgreSQL through one pool of connections for each class of work, so that no class can take the connections of
 * another (docs/adr/0018). The statements of tokens, logins and pages run on `Database` itself.
 */
export type Database = Queries & {
  /** For pages of the API that are read by an index in their order. */
  listing: Queries
  /** For reads whose cost depends on the data: searches and deep pages. */
  expensive: Queries
  /** Lends a connection of its own, without time-outs, for work that is more than one statement: migrations, import. */
  withConnection<T>(work: (client: pg.Client) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/**
 * Milliseconds. PostgreSQL gives up a statement, and the pool a connection without work, before a connection has been
 * silent for so long: one that has is dead.
 */
const statementTimeout = 5000
const idleTimeout = 5000
const silenceTimeout = 6000

/** The fault is the database's and may pass: the caller gets 503, never "invalid token". */
export class DatabaseUnavailable extends ExplainedError {}

/** A `timestamptz` or `date` of a row. */
export const Instant = Type.Refine(Type.Unsafe<Date>({}), (value) => value instanceof Date)

/** `name` must be unique in the process; it names the prepared statement and its place in statistics. */
export function statement<T extends TSchema>(name: string, row: T, text: string): Statement<Static<T>> {
  const compiled = Compile(row)
  const parse = (value: unknown): Static<T> => {
    if (compiled.Check(value)) return value
    throw new Error(`${name} gave a row of another shape: ${JSON.stringify(compiled.Errors(value))}`)
  }
  return { name, text, parse }
}

/** A statement is planned once for each connection: its plan is right for all values, and planning costs more than it. */
const plannedOnce = '-c plan_cache_mode=force_generic_plan -c jit=off'

/** Connections and planner settings of each class of work; together they are what a server takes of `max_connections`. */
const workClasses = {
  // Look-ups by key. A plan that was made while a table was small must not scan it when it has grown.
  core: { max: 8, options: `${plannedOnce} -c enable_seqscan=off` },
  // PostgreSQL does not know that a LIMIT that is a parameter is small, and would read all rows to join and sort them.
  listing: {
    max: 6,
    options: `${plannedOnce} -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off`,
  },
  expensive: {
    max: 3,
    options: `${plannedOnce} -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off`,
  },
} as const

export function openPool(url: string, onError: (error: Error) => void): Database {
  const connection = {
    connectionString: url,
    application_name: 'latchkey',
    connectionTimeoutMillis: 2000,
    keepAlive: true,
  }
  const open = (workClass: keyof typeof workClasses): pg.Pool => {
    const pool = new pg.Pool({
      ...connection,
      ...workClasses[workClass],
      statement_timeout: statementTimeout,
      idleTimeoutMillis: idleTimeout,
      // Not pg's `query_timeout`: its timer for each call keeps the answer until the next full garbage collection.
      stream: neverSilent,
    })
    return pool.on('error', onError)
  }
  const pools = { core: open('core'), listing: open('listing'), expensive: open('expensive') }
  return {
    ...queriesOn(pools.core),
    listing: queriesOn(pools.listing),
    expensive: queriesOn(pools.expensive),
    async withConnection(work) {
      const client = new pg.Client(connection)
      client.on('error', onError) // without a listener, a lost connection would end the process
      try {
        await client.connect()
        await client.query('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0')
      } catch (error) {
        throw explained(error)
      }
      try {
        return await work(client)
      } finally {
        await client.end() // and with it ends whatever lock it held
      }
    },
    async close() {
      await Promise.all(Object.values(pools).map((pool) => pool.end()))
    },
  }
}

function queriesOn(pool: pg.Pool): Queries {
  const run = async <Row>(statement: Statement<Row>, values: Value[]): Promise<Row[]> => {
    try {
      const { rows } = await pool.query({ name: statement.name, text: statement.text, values })
      return rows.map(statement.parse)
    } catch (error) {
      throw explained(error)
    }
  }
  return {
    run,
    async one(statement, values) {
      const [row] = await run(statement, values)
      if (row === undefined) throw new Error(`${statement.name} gave no row`)
      return row
    },
    maybe: async (statement, values) => (await run(statement, values))[0],
  }
}

function neverSilent(): Socket {
  const socket = new Socket()
  socket.setTimeout(silenceTimeout, () =>
    socket.destroy(new Error('Connection terminated: PostgreSQL is silent')),
  )
  return socket
}

function explained(error: unknown): unknown {
  if (!isUnavailable(error)) return error
  const reason = error.message || ('code' in error ? String(error.code) : error.name)
  return new DatabaseUnavailable(`the database is unavailable: ${reason}`, { cause: error })
}

const connectionFault =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying)/

/**
 * PostgreSQL's classes 08 (connection), 28 and 3D (login and database refused), 40 (deadlock, rollback), 53 (resources)
 * and 57 (operator intervention, time-outs), a lock not had in time, a primary that has become a standby, and the
 * socket's own.
 */
export function isUnavailable(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  return (
    /^(08|28|3D|40|53|57|55P03|25006)/.test(code) ||
    /^E(CONN|PIPE|TIMEDOUT|AI_AGAIN|HOSTUNREACH|NETUNREACH|NOTFOUND)/.test(code) ||
    connectionFault.test(error.message)
  )
}
