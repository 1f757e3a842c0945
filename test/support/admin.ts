import { createApiKey } from '../../src/admin/api-keys.ts'
import { commandOrigin } from '../../src/audit/origin.ts'
import { type Scope, scopes } from '../../src/operators/scopes.ts'
import type { TestServer } from './server.ts'

/** The text of a new API key. */
export async function newKey(server: TestServer, scopes: Scope[], expiresInDays?: number): Promise<string> {
  const { database, context } = server
  const input = { name: 'Test', scopes, expiresInDays }
  const made = await createApiKey(database, commandOrigin(), context.config.environment, input)
  if (made.kind === 'refused') throw new Error(made.faults.join())
  return made.text
}

export type ApiResponse = {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field
  body: any
}

/** Calls the admin API with a key. */
export function adminCaller({ authUrl }: Pick<TestServer, 'authUrl'>, key: string) {
  return apiCaller(`${authUrl}/admin/v1`, key)
}

/** Calls an API with a key. @param api its address */
export function apiCaller(api: string, key: string) {
  return async (
    method: string,
    path: string,
    body?: unknown,
    more: Record<string, string> = {},
  ): Promise<ApiResponse> => {
    const response = await fetch(api + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...more,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    }
  }
}

type Document = {
  paths: Record<string, Record<string, { operationId: string; description: string }>>
}

/** Every operation of the document, with a path whose parameters name nothing that exists. */
export async function adminOperations({ authUrl }: Pick<TestServer, 'authUrl'>) {
  const document: Document = await (await fetch(`${authUrl}/admin/v1/openapi.json`)).json()
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, description }]) => {
      const scope = scopes.find((known) => description.endsWith(`Scope: \`${known}\`.`))
      if (!scope) throw new Error(`${operationId} has no scope`)
      return { method: method.toUpperCase(), path: path.replaceAll(/\{\w+\}/g, '0'), operationId, scope }
    }),
  )
}
