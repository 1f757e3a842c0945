import type { ApiResponse } from './admin.ts'
import type { TestServer } from './server.ts'

export type ChangeRow = Record<string, unknown>

/** Sends changes of the directory with this API key. */
export function directoryCaller({ authUrl }: Pick<TestServer, 'authUrl'>, key: string) {
  return async (
    rows: ChangeRow[] | string | Buffer,
    headers: Record<string, string> = {},
  ): Promise<ApiResponse> => {
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

export const ann = {
  ...{ id: 'u1', firm_id: 'f1', email: 'Ann@Example.com', name: 'Ann', role: 'advisor', status: 'active' },
}
/** One row of each type, in an order in which they could not be stored one by one. */
export const base = [
  upsert('access', { user_id: 'u1', account_id: 'a1' }),
  upsert('account', { id: 'a1', household_id: 'h1', status: 'active', opened_on: '2020-02-29' }),
  upsert('household', { id: 'h1', firm_id: 'f1', name: 'Straße' }),
  upsert('user', ann),
  upsert('firm', { id: 'f1', name: 'First' }),
  upsert('role', { name: 'advisor', sees: 'granted' }),
]
