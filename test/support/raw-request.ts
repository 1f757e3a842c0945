import { request } from 'node:http'
import { query } from './database.ts'
import type { TestServer } from './server.ts'

/** A GET with headers that `fetch` does not let callers set, such as `Host`. */
export function getWithHeaders(
  url: string,
  headers: Record<string, string>,
): Promise<{ status: number; location: string | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, location: response.headers.location, text }),
      )
    })
    sent.on('error', reject).end()
  })
}

/** Background jobs write them, seconds after a request. */
const writtenLater = [
  'call_days',
  'call_hours',
  'grant_reads',
  'household_numbers',
  'read_log',
  'read_log_grants',
  'request_kinds',
  'request_log',
]

/** The number of rows in each table that requests change. Partitions do not count apart. */
export async function rowCounts({ database }: TestServer): Promise<Record<string, number>> {
  const tables = await query<{ name: string }>(
    database,
    `SELECT quote_ident(relname) AS name FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
        AND relname <> ALL ($1) ORDER BY 1`,
    [writtenLater],
  )
  const counts = tables.map(async ({ name }) => {
    const [row] = await query<{ n: number }>(database, `SELECT count(*)::int AS n FROM ${name}`)
    return [name, row?.n ?? -1] as const
  })
  return Object.fromEntries(await Promise.all(counts))
}
