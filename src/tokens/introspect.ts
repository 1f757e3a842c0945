import type { Context } from '../context.ts'
import type { TokenRefusal } from '../http/refusals.ts'
import { clientValues } from '../partners/client-authentication.sql.ts'
import type { ClientCredential } from '../partners/client-authentication.ts'
import { introspectLiveToken, introspectToken } from './introspect.sql.ts'
import { accessTokenSeconds, refreshTokenSeconds } from './lifetimes.ts'
import { clientRefusal } from './outcome.ts'
import { type PresentedToken, presentedToken } from './presented-token.ts'

export type Introspection =
  | { kind: 'inactive' }
  | {
      kind: 'active'
      token: 'access' | 'refresh'
      clientId: string
      subject: string
      /** How and when the user logged in (RFC 9470 section 6). */
      acr: string
      authTime: Date
      issuedAt: Date
      expiresAt: Date
    }

const lifetimes = { access: accessTokenSeconds, refresh: refreshTokenSeconds }

/** Reports whether a token of this client is valid now, and for which user (RFC 7662). Changes nothing. */
export async function introspect(
  context: Context,
  { client, token }: { client: ClientCredential; token: string },
): Promise<Introspection | TokenRefusal> {
  const { database } = context
  const presented = presentedToken(context, token)
  const values = [presented.locatorHash, presented.proof, presented.expiresAt]
  if (presented.kind !== 'none' && !client.assertion) {
    const { clientId, method, digest } = client
    const statement = introspectLiveToken[presented.kind]
    const live = await database.shortReads.maybe(statement, [clientId, method, digest, ...values])
    if (live) {
      const { subject, acr, auth_time: authTime } = live
      return active(presented, clientId, { subject, acr, authTime })
    }
  }
  const statement = introspectToken[presented.kind === 'access' ? 'access' : 'refresh']
  const row = await database.shortReads.one(statement, [...clientValues(client), ...values])
  const refusal = clientRefusal(row.client_authentication, client)
  if (refusal) return refusal
  const { subject, acr, auth_time: authTime } = row
  if (presented.kind === 'none' || subject === null || acr === null || authTime === null)
    return { kind: 'inactive' }
  return active(presented, client.clientId, { subject, acr, authTime })
}

function active(
  { kind, expiresAt }: Exclude<PresentedToken, { kind: 'none' }>,
  clientId: string,
  facts: { subject: string; acr: string; authTime: Date },
): Introspection {
  const issuedAt = new Date(expiresAt.getTime() - lifetimes[kind] * 1000)
  return { kind: 'active', token: kind, clientId, ...facts, issuedAt, expiresAt }
}
