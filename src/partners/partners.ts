import type { Environment } from '../config.ts'
import type { Database } from '../database/database.ts'
import { newToken } from '../secrets/token-format.ts'
import { newClientId } from './client-id.ts'
import { insertPartner, rotateSecret } from './partners.sql.ts'
import { redirectUriFault } from './redirect-uri.ts'

export type NewPartner = { name: string; redirectUris: string[]; requirePkce: boolean }

/** The secret is in this answer and nowhere else: only its digest is stored. */
export type Credentials = { clientId: string; clientSecret: string }

export type Registration = ({ kind: 'created' } & Credentials) | { kind: 'refused'; faults: string[] }

export async function createPartner(
  database: Database,
  environment: Environment,
  { name, redirectUris, requirePkce }: NewPartner,
): Promise<Registration> {
  const faults = [
    ...(/^[^\p{Cc}]{1,100}$/u.test(name.trim())
      ? []
      : ['the name must be 1 to 100 characters, without control characters']),
    ...(redirectUris.length === 0 ? ['there must be a redirect URI'] : []),
    ...redirectUris.flatMap((uri) => {
      const fault = redirectUriFault(uri)
      return fault ? `redirect URI ${JSON.stringify(uri)} ${fault}` : []
    }),
  ]
  if (faults.length > 0) return { kind: 'refused', faults }
  const clientId = newClientId(environment)
  const secret = newToken(environment, 'cs')
  await database.one(insertPartner, [
    clientId,
    name.trim(),
    [...new Set(redirectUris)],
    requirePkce,
    secret.hash,
  ])
  return { kind: 'created', clientId, clientSecret: secret.text }
}

/** Two secrets are live afterwards, or with `endOthers` the new one alone. Undefined: no such partner. */
export async function rotatePartnerSecret(
  database: Database,
  environment: Environment,
  clientId: string,
  endOthers: boolean,
): Promise<(Credentials & { liveSecrets: number }) | undefined> {
  const secret = newToken(environment, 'cs')
  const row = await database.maybe(rotateSecret, [clientId, secret.hash, endOthers ? 0 : 1])
  return row && { clientId, clientSecret: secret.text, liveSecrets: row.live_secrets }
}
