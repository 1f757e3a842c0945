import type { TestServer } from './server.ts'

/** The log lines with this request id. */
export function logLines(server: TestServer, requestId: string): Record<string, unknown>[] {
  const lines = server.logs().split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line)).filter((line) => line.request_id === requestId)
}
