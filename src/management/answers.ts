import type { FastifyReply } from 'fastify'
import type { ProblemCode } from '../errors/catalogue.ts'
import { sendProblem } from '../http/api-edge.ts'

/** What a route answers. */
export type Answer =
  | {
      kind: 'json'
      status: number
      body: unknown
      /** Fields that are shown only this once, in addition to the body. They are never stored. */
      secrets?: Record<string, string>
      headers?: Record<string, string>
    }
  /** 204 */
  | { kind: 'empty' }
  /** The route has answered, for example with a stream. */
  | { kind: 'sent' }
  | {
      kind: 'problem'
      code: ProblemCode
      detail: string
      /** `line`: of a body with one row on each line. */
      errors?: { line?: number; parameter: string; detail: string }[]
      /** Seconds after which the request may be repeated. */
      retryAfter?: number
    }

/** 200 with a JSON body. */
export function ok(body: unknown, headers?: Record<string, string>): Answer {
  return { kind: 'json', status: 200, body, ...(headers && { headers }) }
}

/** @param location the address of the new resource */
export function created(location: string, body: unknown, secrets?: Record<string, string>): Answer {
  return { kind: 'json', status: 201, body, headers: { location }, ...(secrets && { secrets }) }
}

/** The answer with fields that are shown only this once. */
export function withSecrets(answer: Answer, secrets: Record<string, string> | undefined): Answer {
  return answer.kind === 'json' && secrets ? { ...answer, secrets } : answer
}

export function notFound(detail: string): Answer {
  return { kind: 'problem', code: 'not_found', detail }
}

export function conflict(detail: string): Answer {
  return { kind: 'problem', code: 'conflict', detail }
}

/** 503 */
export const directoryBusy: Answer = {
  kind: 'problem',
  code: 'unavailable',
  detail:
    'An import or other changes of the directory are running. Nothing was changed. Send the request again after the time in Retry-After.',
  retryAfter: 2,
}

/** 422. The faults are sentences of the use case, which names the field itself. */
export function refused(faults: string[]): Answer {
  return { kind: 'problem', code: 'invalid_content', detail: faults.join(' ') }
}

export function sendAnswer(reply: FastifyReply, answer: Answer): FastifyReply {
  if (answer.kind === 'sent') return reply
  if (answer.kind === 'problem') {
    const { code, detail, errors, retryAfter } = answer
    if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter))
    return sendProblem(reply, code, detail, { ...(errors && { errors }) })
  }
  reply.header('cache-control', 'no-store')
  if (answer.kind === 'empty') return reply.status(204).send()
  const { status, body, secrets, headers = {} } = answer
  return reply
    .status(status)
    .headers(headers)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(secrets && typeof body === 'object' ? { ...body, ...secrets } : body))
}
