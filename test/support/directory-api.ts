import type { AdminResponse } from './admin.ts'
import type { TestServer } from './server.ts'

export type ChangeRow = Record<string, unknown>

/** Sends changes of the directory with this API key. */
export function directoryCaller({ authUrl }: Pick<TestServer, 'authUrl'>, key: string) {
  return async (
    rows: ChangeRow[] | string | Buffer,
    headers: Record<string, string> = {},
  ): Promise<AdminResponse> => {
    const body = Array.isArray(rows) ? rows.map((row) => JSON.stringify(row)).join('\n') : rows
    const response = await fetch(`${authUrl}/admin/v1/directory/changes`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson', ...headers },
      body: typeof body === 'string' ? body : new Uint8Array(body),
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    }
  }
}

export const upsert = (type: string, fields: ChangeRow): ChangeRow => ({ op: 'upsert', type, ...fields })
export const remove = (type: string, fields: ChangeRow): ChangeRow => ({ op: 'delete', type, ...fields })
