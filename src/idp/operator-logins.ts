import { type Origin, originValue } from '../audit/origin.ts'
import type { Database } from '../database/database.ts'
import { setOperatorLogins } from './operator-logins.sql.ts'
import { type NotChanged, notFound } from './providers.ts'

/**
 * Lets operators log in through a provider, or no longer.
 * @param acr what their logins must reach there; undefined: any login counts
 */
export async function changeOperatorLogins(
  database: Database,
  origin: Origin,
  { id, operators, acr }: { id: string; operators: boolean; acr?: string | undefined },
): Promise<{ kind: 'done'; sessionsEnded: number } | NotChanged> {
  if (acr !== undefined && !/^[\x21-\x7e]{1,200}$/.test(acr)) {
    return { kind: 'refused', reasons: ['the acr must have 1 to 200 visible ASCII characters'] }
  }
  if (acr !== undefined && !operators)
    return { kind: 'refused', reasons: ['an acr is only for a provider with --operators'] }
  const values = [id, operators, acr ?? null, originValue(origin)]
  const row = await database.maybe(setOperatorLogins, values)
  return row ? { kind: 'done', sessionsEnded: row.sessions_ended } : notFound(id)
}
