import type { Origin } from '../audit/origin.ts'
import type { Database } from '../database/database.ts'
import { createPartner } from '../partners/partners.ts'
import { findSandbox, insertApplication } from './application.sql.ts'

/**
 * The application that everyone may use to try the API. Its credentials are in the docs of the sandbox. It can send codes to
 * this address of the developer's own machine only, and needs PKCE: what the docs publish gives no access to anything.
 */
export type SandboxApplication = { clientId: string; clientSecret: string }

const redirectUri = 'http://localhost:8400/callback'

/** Registers the application, unless the sandbox has one. */
export async function ensureApplication(
  database: Database,
  origin: Origin,
  sandboxFirm: string,
): Promise<void> {
  const sandbox = await database.maybe(findSandbox, [sandboxFirm])
  if (!sandbox || sandbox.client_id !== null) return
  const registered = await createPartner(database, origin, 'sandbox', {
    name: 'Quick start',
    redirectUris: [redirectUri],
    requirePkce: true,
  })
  if (registered.kind === 'refused' || registered.clientSecret === undefined) {
    throw new Error('the application of the sandbox could not be registered')
  }
  await database.run(insertApplication, [registered.clientId, registered.clientSecret])
}
