import { type Database, statement } from '../database/database.ts'
import { createPartner } from '../partners/partners.ts'
import Type from '../typebox.ts'

/**
 * The application that everyone may use to try the API. Its credentials are in the docs of the sandbox. It can send codes to
 * this address of the developer's own machine only, and needs PKCE: what the docs publish gives no access to anything.
 */
export type SandboxApplication = { clientId: string; clientSecret: string }

const redirectUri = 'http://localhost:8400/callback'

/** The firm that `latchkey sandbox load` makes, and the application. No row: this database has no sandbox. $1 id of the firm */
export const findSandbox = statement(
  'find_sandbox',
  Type.Object({
    client_id: Type.Union([Type.String(), Type.Null()]),
    client_secret: Type.Union([Type.String(), Type.Null()]),
  }),
  'SELECT a.client_id, a.client_secret FROM firms f LEFT JOIN sandbox_application a ON true WHERE f.id = $1 LIMIT 1',
)

const insertApplication = statement(
  'insert_sandbox_application',
  Type.Object({}),
  'INSERT INTO sandbox_application (client_id, client_secret) VALUES ($1, $2)',
)

/** Registers the application, unless the sandbox has one. */
export async function ensureApplication(database: Database, sandboxFirm: string): Promise<void> {
  const sandbox = await database.maybe(findSandbox, [sandboxFirm])
  if (!sandbox || sandbox.client_id !== null) return
  const registered = await createPartner(database, 'sandbox', {
    name: 'Quick start',
    redirectUris: [redirectUri],
    requirePkce: true,
  })
  if (registered.kind === 'refused' || registered.clientSecret === undefined) {
    throw new Error('the application of the sandbox could not be registered')
  }
  await database.run(insertApplication, [registered.clientId, registered.clientSecret])
}
