import { systemOrigin } from '../../src/audit/origin.ts'
import { type ProductionSettings, requestGoingLive } from '../../src/going-live/request-going-live.ts'
import { sandboxKeyText } from '../../src/going-live/sandbox-key.ts'
import { deriveKeys } from '../../src/secrets/derived-keys.ts'
import { tokensFor } from './connection.ts'
import { query } from './database.ts'
import { invited } from './developers.ts'
import { serverFixture } from './fixtures.ts'
import { refresh } from './journey.ts'
import type { TestPartner, TestServer } from './server.ts'
import type { TestServerOptions } from './server-config.ts'

export const productionUrl = 'https://auth.platform.example'
export const productionSecret = 'the secret of production, 32 bytes or more'
export const sandboxSecret = 'the secret of the sandbox, 32 bytes or more'

/** The public key of a secret, without its prefix. */
export const sandboxKey = (secret: string) =>
  sandboxKeyText(deriveKeys(secret, 'sandbox')).split(':')[1] ?? ''

/** A sandbox whose requests are for `productionUrl`. */
export function sandboxFixture(options: TestServerOptions = {}): Promise<TestServer> {
  return serverFixture({
    secret: sandboxSecret,
    users: ['ann'],
    goingLive: { productionUrl },
    ...options,
  })
}

/** A production that accepts the requests of `sandboxFixture`. */
export function productionFixture(options: TestServerOptions = {}): Promise<TestServer> {
  return serverFixture({
    environment: 'production',
    secret: productionSecret,
    goingLive: { sandboxKeys: [sandboxKey(sandboxSecret)] },
    authUrl: productionUrl,
    ...options,
  })
}

/** An application of the sandbox that has done all required checks. */
export async function readyApplication(
  sandbox: TestServer,
  options: Parameters<TestServer['partner']>[0] = {},
): Promise<TestPartner> {
  const partner = await sandbox.partner({ privacyUrl: 'https://ledgerline.example/privacy', ...options })
  const { refreshToken } = await tokensFor(sandbox, partner, 'ann')
  const refreshed = await refresh(sandbox, partner, refreshToken)
  if (refreshed.status !== 200) throw new Error('the application cannot refresh')
  await invited(sandbox, {
    clientId: partner.clientId,
    email: 'dana@ledgerline.example',
    name: 'Dana Developer',
  })
  const seen = 'UPDATE developer_memberships SET last_seen_at = now() WHERE client_id = $1'
  await query(sandbox.database, seen, [partner.clientId])
  return partner
}

/** Settings for production. */
export const settings: ProductionSettings = {
  redirectUris: ['https://app.ledgerline.example/callback'],
  postLogoutRedirectUris: [],
  webhookUrls: [],
  contact: 'Dana Developer, dana@ledgerline.example',
  expectedVolume: '200 users, 5,000 calls a day',
}

/** The text that the sandbox signs for an application. */
export async function signedRequest(
  sandbox: TestServer,
  clientId: string,
  changes: Partial<ProductionSettings> = {},
): Promise<string> {
  const input = { clientId, settings: { ...settings, ...changes }, requestedBy: 'Dana Developer' }
  const outcome = await requestGoingLive(sandbox.context, systemOrigin, input, sandbox.context.now())
  if (outcome.kind !== 'signed') throw new Error(JSON.stringify(outcome))
  return outcome.text
}
