import { type Origin, originValue } from '../audit/origin.ts'
import type { Database } from '../database/database.ts'
import { type NotChanged, notFound } from '../idp/providers.ts'
import type { PeopleKind } from './kind.ts'
import { setProviderLogins } from './provider-settings.sql.ts'

/**
 * Lets operators or developers log in through a provider, or no longer.
 * @param acr what their logins must reach there; undefined: any login counts
 */
export async function changeProviderLogins(
  database: Database,
  origin: Origin,
  kind: PeopleKind,
  { id, logIn, acr }: { id: string; logIn: boolean; acr?: string | undefined },
): Promise<{ kind: 'done'; sessionsEnded: number } | NotChanged> {
  if (acr !== undefined && !/^[\x21-\x7e]{1,200}$/.test(acr)) {
    return { kind: 'refused', reasons: ['the acr must have 1 to 200 visible ASCII characters'] }
  }
  if (acr !== undefined && !logIn)
    return { kind: 'refused', reasons: [`an acr is only for a provider with --${kind}s`] }
  const values = [id, logIn, acr ?? null, originValue(origin)]
  const row = await database.maybe(setProviderLogins[kind], values)
  return row ? { kind: 'done', sessionsEnded: row.sessions_ended } : notFound(id)
}
