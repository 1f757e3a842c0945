import pg from 'pg'
import Type, { type Static, type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

/** A named prepared statement with the shape of its rows. Build one with `statement`. */
export type Statement<Row> = { name: string; text: string; parse(row: unknown): Row }

/** A value of a statement's parameter. Dates are instants; a Buffer is `bytea`. */
type Value = string | number | boolean | Date | Buffer | null | string[]

export type Database = {
  /** @throws {DatabaseUnavailable} when PostgreSQL can't be reached, is overloaded or gave up in time */
  run<Row>(statement: Statement<Row>, values: Value[]): Promise<Row[]>
  /** The row of a statement that always gives one. */
  one<Row>(statement: Statement<Row>, values: Value[]): Promise<Row>
  /** The row of a statement that gives one or none. */
  maybe<Row>(statement: Statement<Row>, values: Value[]): Promise<Row | undefined>
  /** Lends a connection for work that is more than one statement: migrations, import. */
  withConnection<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** The fault is the database's and may pass: the caller gets 503, never "invalid token". */
export class DatabaseUnavailable extends Error {}

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
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'latchkey',
    max: 10,
    connectionTimeoutMillis: 2000,
    statement_timeout: 10_000,
    keepAlive: true,
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
      const client = await pool.connect().catch((error) => {
        throw explained(error)
      })
      // Lent out, a client that loses its connection has only this listener between it and the end of the process.
      client.on('error', onError)
      try {
        return await work(client)
      } finally {
        client.off('error', onError)
        client.release()
      }
    },
    close: () => pool.end(),
  }
}

function explained(error: unknown): unknown {
  if (!isUnavailable(error)) return error
  const reason = error.message || ('code' in error ? String(error.code) : error.name)
  return new DatabaseUnavailable(`the database is unavailable: ${reason}`, { cause: error })
}

/**
 * PostgreSQL's classes 08 (connection), 28 and 3D (login and database refused), 53 (resources) and 57 (operator
 * intervention, time-outs), and the socket's own.
 */
export function isUnavailable(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  return (
    /^(08|28|3D|53|57)/.test(code) ||
    /^E(CONN|PIPE|TIMEDOUT|AI_AGAIN|HOSTUNREACH|NOTFOUND)/.test(code) ||
    /^Connection terminated|^Client has encountered a connection error|^timeout exceeded when trying to connect/.test(
      error.message,
    )
  )
}
