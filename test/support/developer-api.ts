import { commandOrigin } from '../../src/audit/origin.ts'
import { createDeveloperKey } from '../../src/developer-keys/developer-keys.ts'
import { type DeveloperRole, developerRoles } from '../../src/developer-keys/roles.ts'
import { apiCaller } from './admin.ts'
import type { TestServer } from './server.ts'

/** The text of a new developer key. */
export async function newDeveloperKey(
  { database, context }: TestServer,
  clientId: string,
  role: DeveloperRole = 'admin',
  expiresInDays?: number,
): Promise<string> {
  const input = { clientId, name: 'Test', role, expiresInDays }
  const made = await createDeveloperKey(database, commandOrigin(), context.config.environment, input)
  if (made.kind === 'refused') throw new Error(made.faults.join())
  return made.text
}

/** Calls the developer API with a key. */
export function developerCaller({ authUrl }: Pick<TestServer, 'authUrl'>, key: string) {
  return apiCaller(`${authUrl}/developers/v1`, key)
}

type Document = {
  paths: Record<string, Record<string, { operationId: string; description: string }>>
}

/** Every operation of the document, with a path whose parameters name nothing that exists. */
export async function developerOperations({ authUrl }: Pick<TestServer, 'authUrl'>) {
  const document: Document = await (await fetch(`${authUrl}/developers/v1/openapi.json`)).json()
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, description }]) => {
      const role = developerRoles.find((known) => description.endsWith(`Role: \`${known}\`.`))
      if (!role) throw new Error(`${operationId} has no role`)
      return { method: method.toUpperCase(), path: path.replaceAll(/\{\w+\}/g, '0'), role }
    }),
  )
}
