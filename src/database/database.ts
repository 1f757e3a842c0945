import { Socket } from 'node:net'
import pg from 'pg'
import Type, { type Static, type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { ExplainedError } from '../explained-error.ts'

/** A named prepared statement with the shape of its rows. Build one with `statement`. */
export type Statement<Row> = { name: string; text: string; parse(row: unknown): Row }

/** A value of a statement's parameter. Dates are instants; a Buffer is `bytea`. */
export type Value = string | number | boolean | Date | Buffer | null | string[] | Buffer[]

export type Database = {
  /** @throws {DatabaseUnavailable} when PostgreSQL can't be reached, is overloaded or gave up in time */
  run<Row>(statement: Statement<Row>, values: Value[]): Promise<Row[]>
  /** The row of a statement that always gives one. */
  one<Row>(statement: Statement<Row>, values: Value[]): Promise<Row>
  /** The row of a statement that gives one or none. */
  maybe<Row>(statement: Statement<Row>, values: Value[]): Promise<Row | undefined>
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

export function openPool(url: string, onError: (error: Error) => void): Database {
  const connection = {
    connectionString: url,
    application_name: 'latchkey',
    connectionTimeoutMillis: 2000,
    keepAlive: true,
  }
  const pool = new pg.Pool({
    ...connection,
    max: 10,
    // Every statement here has one plan that is right for all its values, and is prepared to be planned once: left to
    // itself, PostgreSQL plans a page anew for each call, since of a LIMIT that is a parameter it expects the worst.
    options:
      '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off',
    statement_timeout: statementTimeout,
    idleTimeoutMillis: idleTimeout,
    // Not pg's `query_timeout`: its timer for each call keeps the answer until the next full garbage collection.
    stream: neverSilent,
  })
  pool.on('error', onError)

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
    close: () => pool.end(),
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
