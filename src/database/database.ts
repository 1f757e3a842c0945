import { Socket } from 'node:net'
import pg from 'pg'
import { ExplainedError } from '../explained-error.ts'
import Type, { Compile, type Static, type TSchema } from '../typebox.ts'
import { poolCloser } from './close-pool.ts'
import { pipelined } from './pipelined.ts'

/** A named prepared statement with the shape of its rows. Build one with `statement`. */
export type Statement<Row> = { name: string; text: string; parse(row: unknown): Row }

/** The value of a parameter. A Date is a `timestamptz`, a Buffer is a `bytea`. */
export type Value = string | number | boolean | Date | Buffer | null | (string | null)[] | Buffer[]

export type Queries = {
  /** @throws {DatabaseUnavailable} when PostgreSQL cannot be reached, is overloaded, or cancels the statement (timeout) */
  run<Row>(statement: Statement<Row>, values: Value[]): Promise<Row[]>
  /** Returns the row of a statement that always has exactly one. */
  one<Row>(statement: Statement<Row>, values: Value[]): Promise<Row>
  /** Returns the row of a statement that has at most one. */
  maybe<Row>(statement: Statement<Row>, values: Value[]): Promise<Row | undefined>
}

/**
 * Called with the name of a statement when it begins. Returns what is called when it has ended, with the class of its error.
 */
export type DatabaseObserver = (
  statement: string,
  workClass: WorkClass,
) => (error?: 'unavailable' | 'other') => void

/**
 * `max` is the limit, `total` the open connections, `idle` those of them without work, `waiting` the statements without one.
 */
export type PoolState = { workClass: WorkClass; max: number; total: number; idle: number; waiting: number }

/**
 * PostgreSQL, with a separate connection pool for each class of work, so that no class can use up the connections of
 * another (docs/adr/0018). The statements of tokens, logins and pages run on `Database` itself.
 */
export type Database = Queries & {
  /** For short reads of the core class: several share a connection (`pipelined`). */
  shortReads: Queries
  /** For pages of the API that an index returns in order. They share connections too. */
  listing: Queries
  /** For reads whose cost depends on the data: searches and long syncs. */
  expensive: Queries
  /**
   * Runs work on one of the few connections for changes of the directory (src/import/change-directory.ts). If the work fails,
   * the connection ends, and PostgreSQL rolls back.
   * @throws {DatabaseUnavailable} also when no connection is free for two seconds
   */
  withChangeConnection<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T>
  /** From now on, tells `observer` about each statement of the pools. There is one observer. */
  observe(observer: DatabaseObserver): void
  /** The connections of each pool now. */
  poolStates(): PoolState[]
  /** Opens a separate connection without timeouts for work with several statements, such as migrations and imports. */
  withConnection<T>(work: (client: pg.Client) => Promise<T>): Promise<T>
  /** Resolves when all connections are closed. */
  close(): Promise<void>
}

/**
 * Milliseconds. PostgreSQL cancels a statement, and the pool closes an idle connection, before `silenceTimeout`. Therefore a
 * connection that is silent for longer is dead.
 */
const statementTimeout = 5000
const idleTimeout = 5000
const silenceTimeout = 6000

/** The database has a fault that may be temporary. The caller must get 503, never "invalid token". */
export class DatabaseUnavailable extends ExplainedError {}

/** A `timestamptz` or `date` of a row. */
export const Instant = Type.Refine(Type.Unsafe<Date>({}), (value) => value instanceof Date)

/** A `bytea` of a row. */
export const Bytes = Type.Refine(Type.Unsafe<Buffer>({}), (value) => Buffer.isBuffer(value))

/** `name` must be unique in the process. It names the prepared statement and its entry in the statistics. */
export function statement<T extends TSchema>(name: string, row: T, text: string): Statement<Static<T>> {
  const compiled = Compile(row)
  const parse = (value: unknown): Static<T> => {
    if (compiled.Check(value)) return value
    throw new Error(
      `${name} returned a row of an unexpected shape: ${JSON.stringify(compiled.Errors(value))}`,
    )
  }
  return { name, text, parse }
}

/** Plans each statement once per connection: one plan is good for all values, and planning costs more than execution. */
const genericPlans = '-c plan_cache_mode=force_generic_plan -c jit=off'

/** For look-ups by key. A plan that was made while a table was small must not scan the table after it has grown. */
const corePlanner = `${genericPlans} -c enable_seqscan=off`

/** If LIMIT is a parameter, PostgreSQL does not know that it is small, and would read all rows to join and sort them. */
const listingPlanner = `${corePlanner} -c enable_hashjoin=off -c enable_mergejoin=off`

/** Connections and planner settings of each class of work. The sum is what one server needs of `max_connections`. */
const workClasses = {
  core: { max: 8, options: corePlanner, pipeline: true },
  listing: { max: 6, options: listingPlanner, pipeline: true },
  expensive: { max: 3, options: listingPlanner },
  // Changes exclude each other. One runs, and the next one already waits in PostgreSQL.
  changes: { max: 2, options: listingPlanner, pipeline: true },
} as const
export type WorkClass = keyof typeof workClasses
const workClassNames = ['core', 'listing', 'expensive', 'changes'] as const satisfies WorkClass[]

const connectionConfig = (url: string) => ({
  connectionString: url,
  application_name: 'latchkey',
  connectionTimeoutMillis: 2000,
  keepAlive: true,
})

/** The connection settings of a class of work. Tests of query plans use the same settings. */
export const poolConfig = (url: string, workClass: WorkClass): pg.PoolConfig => ({
  ...connectionConfig(url),
  ...workClasses[workClass],
  statement_timeout: statementTimeout,
  idleTimeoutMillis: idleTimeout,
  // Not pg's `query_timeout`: its timer for each call keeps the result in memory until the next full garbage collection.
  stream: socketWithTimeout,
})

export function openPool(url: string, onError: (error: Error) => void): Database {
  const open = (workClass: WorkClass) => new pg.Pool(poolConfig(url, workClass)).on('error', onError)
  const pools = {
    core: open('core'),
    listing: open('listing'),
    expensive: open('expensive'),
    changes: open('changes'),
  }
  const closers = Object.values(pools).map(poolCloser)
  let observer: DatabaseObserver | undefined
  const begin = (workClass: WorkClass) => (statement: string) => observer?.(statement, workClass)
  return {
    ...queriesOn(pools.core, begin('core')),
    shortReads: queriesOn(pipelined(pools.core), begin('core')),
    listing: queriesOn(pipelined(pools.listing), begin('listing')),
    expensive: queriesOn(pools.expensive, begin('expensive')),
    observe(next) {
      observer = next
    },
    withChangeConnection: (work) => onChangeConnection(pools.changes, begin('changes'), work),
    poolStates: () => workClassNames.map((workClass) => stateOf(workClass, pools[workClass])),
    withConnection: (work) => onOwnConnection(url, onError, work),
    async close() {
      await Promise.all(closers.map((close) => close()))
    },
  }
}

async function onChangeConnection<T>(
  pool: pg.Pool,
  begin: (statement: string) => ReturnType<DatabaseObserver> | undefined,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect().catch((error) => {
    throw explainIfUnavailable(error)
  })
  const end = begin('change_directory')
  try {
    const result = await work(client)
    client.release()
    end?.()
    return result
  } catch (error) {
    client.release(true)
    end?.(isUnavailable(error) ? 'unavailable' : 'other')
    throw explainIfUnavailable(error)
  }
}

async function onOwnConnection<T>(
  url: string,
  onError: (error: Error) => void,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(connectionConfig(url))
  client.on('error', onError) // without a listener, a lost connection would end the process
  try {
    await client.connect()
    await client.query('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0')
  } catch (error) {
    throw explainIfUnavailable(error)
  }
  try {
    return await work(client)
  } finally {
    await client.end() // also releases the session's locks
  }
}

function stateOf(workClass: WorkClass, pool: pg.Pool): PoolState {
  const { totalCount: total, idleCount: idle, waitingCount: waiting } = pool
  return { workClass, max: workClasses[workClass].max, total, idle, waiting }
}

/**
 * Runs statements on one pool, or on one connection and therefore inside its transaction.
 * @param begin is called with the name of each statement, and may return what is called at its end
 */
export function queriesOn(
  pool: { query(query: pg.QueryConfig): Promise<pg.QueryResult> },
  begin: (statement: string) => ReturnType<DatabaseObserver> | undefined = () => undefined,
): Queries {
  const run = async <Row>(statement: Statement<Row>, values: Value[]): Promise<Row[]> => {
    const end = begin(statement.name)
    let rows: unknown[]
    try {
      rows = (await pool.query({ name: statement.name, text: statement.text, values })).rows
    } catch (error) {
      const explained = explainIfUnavailable(error)
      end?.(explained instanceof DatabaseUnavailable ? 'unavailable' : 'other')
      throw explained
    }
    end?.()
    return rows.map(statement.parse)
  }
  return {
    run,
    async one(statement, values) {
      const [row] = await run(statement, values)
      if (row === undefined) throw new Error(`${statement.name} returned no row`)
      return row
    },
    maybe: async (statement, values) => (await run(statement, values))[0],
  }
}

function socketWithTimeout(): Socket {
  const socket = new Socket()
  socket.setTimeout(silenceTimeout, () =>
    socket.destroy(new Error('Connection terminated: PostgreSQL does not respond')),
  )
  return socket
}

function explainIfUnavailable(error: unknown): unknown {
  if (!isUnavailable(error)) return error
  const reason = error.message || ('code' in error ? String(error.code) : error.name)
  return new DatabaseUnavailable(`the database is unavailable: ${reason}`, { cause: error })
}

const connectionFault =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying)/

/**
 * PostgreSQL's error classes 08 (connection), 26 (the statement before on a shared connection should have prepared this
 * one, and was cancelled), 28 and 3D (login or database refused), 40 (deadlock, rollback), 53 (resources)
 * and 57 (operator intervention, timeouts), 55P03 (lock timeout), 25006 (a primary that has become a standby), and errors
 * of the socket.
 */
export function isUnavailable(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  return (
    /^(08|26|28|3D|40|53|57|55P03|25006)/.test(code) ||
    /^E(CONN|PIPE|TIMEDOUT|AI_AGAIN|HOSTUNREACH|NETUNREACH|NOTFOUND)/.test(code) ||
    connectionFault.test(error.message)
  )
}
