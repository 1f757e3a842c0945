import type { Context } from '../context.ts'
import { findPartner } from '../partners/partners.sql.ts'
import { seal, unseal } from './sealed-request.ts'

/** Milliseconds. The code is derived from the request, and after a day the purge may have taken the row that knows it. */
const oldest = 24 * 3600 * 1000

/**
 * A login page may be open for longer than ten minutes: at the login, a request of this day that expired meanwhile is
 * sealed for ten more. Its `issuedAt` stays, and the session just opened is younger than that whatever it says. One may
 * name a redirect URI that the partner has given up since, and is left expired.
 */
export async function renewed<Form extends { request?: string }>(
  form: Form,
  { database, keys, now }: Context,
): Promise<Form> {
  const opened = form.request === undefined ? undefined : await unseal(form.request, keys.seal, now())
  if (opened?.kind !== 'expired') return form
  const { clientId, redirectUri, issuedAt } = opened.request
  if (now().getTime() - issuedAt > oldest) return form
  const partner = await database.maybe(findPartner, [clientId])
  if (!partner?.redirect_uris.includes(redirectUri)) return form
  return { ...form, request: await seal(opened.request, keys.seal, now()) }
}
