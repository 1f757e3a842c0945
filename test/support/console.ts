import { query } from './database.ts'
import type { Route } from './routes.ts'
import type { TestServer } from './server.ts'

/** The latest record of the audit log for an event: who did it, through which door. */
export async function latestRecord(
  server: TestServer,
  event: string,
): Promise<{ via: string; actor_name: string | null; target_id: string; details: Record<string, unknown> }> {
  const [row] = await query<{
    via: string
    actor_name: string | null
    target_id: string
    details: Record<string, unknown>
  }>(
    server.database,
    'SELECT via, actor_name, target_id, details FROM audit_log WHERE event = $1 ORDER BY at DESC, id DESC LIMIT 1',
    [event],
  )
  if (!row) throw new Error(`the audit log has no ${event}`)
  return row
}

/** The forms of the console, as its router has them. Those about the operator's own session and account are left out. */
export function consoleForms({ routes }: TestServer): Route[] {
  const others = /^\/admin\/(v1|login|setup|confirm|logout|account)/
  return routes.filter(
    ({ method, url }) => method === 'POST' && url.startsWith('/admin') && !others.test(url),
  )
}
