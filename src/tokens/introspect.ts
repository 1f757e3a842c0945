import type { Context } from '../context.ts'
import type { TokenRefusal } from '../http/refusals.ts'
import { clientValues } from '../partners/client-authentication.sql.ts'
import type { ClientCredential } from '../partners/client-authentication.ts'
import { sha256 } from '../secrets/token-format.ts'
import { introspectToken } from './introspect.sql.ts'
import { accessTokenSeconds, refreshTokenDays } from './lifetimes.ts'
import { clientRefusal } from './outcome.ts'

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

const lifetimes = { access: accessTokenSeconds, refresh: refreshTokenDays * 24 * 3600 }

/** Reports whether a token of this client is valid now, and for which user (RFC 7662). */
export async function introspect(
  { database }: Context,
  request: { client: ClientCredential; token: string },
): Promise<Introspection | TokenRefusal> {
  const row = await database.one(introspectToken, [...clientValues(request.client), sha256(request.token)])
  const refusal = clientRefusal(row.client_authentication, request.client)
  if (refusal) return refusal
  const { token, subject, expires_at: expiresAt } = row
  if (token === null || subject === null || expiresAt === null) return { kind: 'inactive' }
  const issuedAt = new Date(expiresAt.getTime() - lifetimes[token] * 1000)
  return { kind: 'active', token, clientId: request.client.clientId, subject, issuedAt, expiresAt }
}
