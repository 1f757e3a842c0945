import { expect } from 'vitest'
import type { RawAnswer } from './raw-socket.ts'

/** The problem document in a response. It must contain the response's own status and request id. */
export function problemIn(answer: RawAnswer | undefined): Record<string, unknown> {
  if (!answer) throw new Error('closed without an answer')
  expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
  const body = JSON.parse(answer.body)
  expect(body).toMatchObject({ status: answer.status, request_id: answer.headers.get('x-api-request-id') })
  return body
}
