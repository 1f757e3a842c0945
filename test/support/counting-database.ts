import { type Database, openPool } from '../../src/database/database.ts'
import { type TestDatabase, testDatabase } from './database.ts'
import { databaseProxy } from './database-proxy.ts'

export type CountingDatabase = TestDatabase & {
  /** Past the counter. */
  direct: Database
  /** How many statements reach PostgreSQL while this works. */
  statementsDuring(work: () => Promise<unknown>): Promise<number>
}

/** A database of one's own that counts, on the wire, what it is asked to execute. */
export async function countingDatabase(): Promise<CountingDatabase> {
  const own = await testDatabase()
  let executed = 0
  const proxy = await databaseProxy(own.url, (client) => {
    const read = executionReader(() => executed++)
    client.on('data', read)
  })
  const database = openPool(proxy.url, () => {})
  return {
    url: proxy.url,
    database,
    direct: own.database,
    async statementsDuring(work) {
      const before = executed
      await work()
      return executed - before
    },
    async drop() {
      await database.close()
      await proxy.cut()
      await own.drop()
    },
  }
}

/**
 * Reads what a PostgreSQL client sends, however it is cut into chunks, and tells of each Execute and each simple Query
 * (https://www.postgresql.org/docs/current/protocol-message-formats.html). Until the startup message, which names
 * version 3 of the protocol, messages have no type: just their length, and what they ask for.
 */
export function executionReader(onExecution: () => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0)
  let started = false
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const head = started ? 1 : 0
      if (rest.length < head + 4) return
      const end = head + rest.readInt32BE(head)
      if (rest.length < end) return
      if (!started) started = rest.readInt16BE(4) === 3
      else if (['E', 'Q'].includes(String.fromCharCode(rest.readUInt8(0)))) onExecution()
      rest = rest.subarray(end)
    }
  }
}
