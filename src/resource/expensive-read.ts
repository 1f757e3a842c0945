import type { Context } from '../context.ts'
import type { Queries } from '../database/database.ts'
import { beginExpensiveRead, endExpensiveRead } from '../limits/limits.sql.ts'
import type { ReadRefusal } from '../process/limiters.ts'
import type { BearerToken } from './bearer.ts'
import { visibilityVersionOfCaller } from './visibility-version.sql.ts'

/** Seconds: longer than a read takes with its wait, so that only the reads of a server that died are forgotten. */
const countsFor = 60

type Server = Pick<Context, 'database' | 'expensiveReadLimiter' | 'limits'>

/**
 * Runs a read whose cost depends on the data when it is its turn on this server, or refuses it. If its partner has a limit,
 * the read is counted in the database together with those of the other servers.
 * @throws {DatabaseUnavailable}
 */
export type ExpensiveRead = <Row>(read: (database: Queries) => Promise<Row>) => Promise<Row | ReadRefusal>

/** For the reads of one call. */
export function expensiveReads(context: Server, bearer: BearerToken): ExpensiveRead {
  return (read) => expensiveRead(context, bearer, () => read(context.database.expensive))
}

async function expensiveRead<Row>(
  context: Server,
  bearer: BearerToken,
  read: () => Promise<Row>,
): Promise<Row | ReadRefusal> {
  const { database, expensiveReadLimiter, limits } = context
  const admitted = () => expensiveReadLimiter.admit(bearer.connectionKey, read)
  const clientId = limits.limitsExpensiveReads ? await clientOf(context, bearer) : undefined
  const most = clientId === undefined ? undefined : limits.expensiveReadsOf(clientId)
  if (clientId === undefined || most === undefined) return admitted()
  const begun = await database.maybe(beginExpensiveRead, [clientId, String(most), String(countsFor)])
  if (!begun) return { kind: 'refused', bound: 'partner' }
  try {
    return await admitted()
  } finally {
    // If this fails, the caller still gets the answer. The read counts until `counts_until`.
    await database.maybe(endExpensiveRead, [clientId, begun.counts_until]).catch(() => {})
  }
}

/** The partner of a live token. Undefined: the token is refused, and so is its read. */
async function clientOf({ database, limits }: Server, bearer: BearerToken): Promise<string | undefined> {
  const known = limits.callerOf(bearer.value)
  if (known) return known.clientId
  return (await database.listing.maybe(visibilityVersionOfCaller, [bearer.value]))?.client_id
}
