import type pg from 'pg'
import { type Database, queriesOn } from './database.ts'

/** Milliseconds for each statement, also for its waits for locks. Afterwards the transaction fails with 503. */
const defaultTimeout = 5000

/**
 * Runs work in one transaction: either all its changes are stored or none. It commits if `keeps` says so for the result.
 * @param connect `withChangeConnection` of the database, or `withConnection` for a new connection: nothing limits their number
 * @throws {DatabaseUnavailable}
 */
export function inTransaction<T>(
  connect: (work: (client: pg.ClientBase) => Promise<T>) => Promise<T>,
  work: (transaction: Database) => Promise<T>,
  keeps: (result: T) => boolean,
  statementTimeout = defaultTimeout,
): Promise<T> {
  return connect(async (client) => {
    const queries = queriesOn(client)
    const transaction: Database = {
      ...queries,
      shortReads: queries,
      listing: queries,
      expensive: queries,
      withChangeConnection: () => Promise.reject(new Error('a transaction has one connection')),
      observe: () => {},
      poolStates: () => [],
      withConnection: () => Promise.reject(new Error('a transaction has one connection')),
      close: () => Promise.reject(new Error('a transaction does not close the database')),
    }
    await client.query(`BEGIN; SET LOCAL statement_timeout = ${statementTimeout}`)
    // If the work throws, the connection ends, and PostgreSQL rolls back.
    const result = await work(transaction)
    await client.query(keeps(result) ? 'COMMIT' : 'ROLLBACK')
    return result
  })
}
