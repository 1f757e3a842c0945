import type { Context } from '../context.ts'
import type { TokenRefusal } from '../http/refusals.ts'
import { clientValues } from '../partners/client-authentication.sql.ts'
import type { ClientCredential } from '../partners/client-authentication.ts'
import { introspectAccessToken, introspectRefreshToken } from './introspect.sql.ts'
import { accessTokenSeconds, refreshTokenSeconds } from './lifetimes.ts'
import { clientRefusal } from './outcome.ts'
import { presentedToken } from './presented-token.ts'

export type Introspection =
  | { kind: 'inactive' }
  | {
      kind: 'active'
      token: 'access' | 'refresh'
      clientId: string
      subject: string
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
  const values = [...clientValues(client), presented.locatorHash, presented.proof, presented.expiresAt]
  const statement = presented.kind === 'access' ? introspectAccessToken : introspectRefreshToken
  const row = await database.shortReads.one(statement, values)
  const refusal = clientRefusal(row.client_authentication, client)
  if (refusal) return refusal
  if (presented.kind === 'none' || row.subject === null) return { kind: 'inactive' }
  const { kind, expiresAt } = presented
  const issuedAt = new Date(expiresAt.getTime() - lifetimes[kind] * 1000)
  return { kind: 'active', token: kind, clientId: client.clientId, subject: row.subject, issuedAt, expiresAt }
}
