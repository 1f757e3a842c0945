import { insertFailedLogins } from '../../src/audit/failed-logins.sql.ts'
import { type Database, openPool } from '../../src/database/database.ts'
import { addUsage } from '../../src/process/usage.sql.ts'
import { addReads, numberHouseholds } from '../../src/read-log/write-reads.sql.ts'
import { addCallHours } from '../../src/request-log/call-hours.sql.ts'
import { addRequests, keepPartitions, numberKinds } from '../../src/request-log/write-requests.sql.ts'
import { type TestDatabase, testDatabase } from './database.ts'
import { databaseProxy } from './database-proxy.ts'

export type CountingDatabase = TestDatabase & {
  /** Connects without the counter. */
  direct: Database
  /** The number of statements that reach PostgreSQL during `work`, without those by which jobs write counts and logs. */
  statementsDuring(work: () => Promise<unknown>): Promise<number>
}

const ofJobs = new Set(
  [
    ...[addUsage, addCallHours, addRequests, numberKinds, keepPartitions],
    ...[addReads, numberHouseholds, insertFailedLogins],
  ].map(({ name }) => name),
)

/** A separate database that counts the statements that it receives, by reading the wire protocol. */
export async function countingDatabase(): Promise<CountingDatabase> {
  const own = await testDatabase()
  let executed = 0
  const proxy = await databaseProxy(own.url, (client) => {
    const read = executionReader((name) => {
      if (!ofJobs.has(name)) executed++
    })
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
 * Reads what a PostgreSQL client sends, in chunks of any size, and reports each Execute with the name of its prepared
 * statement, and each simple Query
 * (https://www.postgresql.org/docs/current/protocol-message-formats.html). Until the startup message, which contains
 * protocol version 3, a message has no type byte: only its length and a request code.
 */
export function executionReader(onExecution: (name: string) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0)
  let bound = ''
  let started = false
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const head = started ? 1 : 0
      if (rest.length < head + 4) return
      const end = head + rest.readInt32BE(head)
      if (rest.length < end) return
      if (!started) started = rest.readInt16BE(4) === 3
      else {
        const type = String.fromCharCode(rest.readUInt8(0))
        // A Bind names a portal and then the statement; both end in NUL. Its Execute follows it.
        if (type === 'B') bound = rest.toString('latin1', head + 4, end).split('\0', 2)[1] ?? ''
        if (type === 'E') onExecution(bound)
        if (type === 'Q') onExecution('')
      }
      rest = rest.subarray(end)
    }
  }
}
