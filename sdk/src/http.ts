import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { LatchkeyError } from './errors.ts'

const mostAttempts = 4
/** Milliseconds for one attempt, until the response is read. */
const attemptTimeout = 30_000
/** Seconds. If the server asks for a longer wait, the call fails at once. */
const longestWait = 60

export type CallOptions = {
  /** Ends the call. */
  signal?: AbortSignal | undefined
  /** Sent as `X-API-Request-ID`. By default a new one for each request; a retry has the id of its request. */
  requestId?: string | undefined
}

export type HttpRequest = CallOptions & {
  method: 'GET' | 'POST'
  url: URL
  headers?: Record<string, string>
  body?: URLSearchParams
  /** Whether the request may be sent again if it is unknown whether the server received it. */
  idempotent: boolean
}

export type HttpResponse = { status: number; headers: Headers; text: string; requestId: string }

type Attempt = { kind: 'answered'; response: HttpResponse } | { kind: 'failed'; error: LatchkeyError }

/**
 * Sends a request, and sends it again if that can help: after 429, and if it is idempotent, also after 502, 503, 504 and
 * network failures. Waits as long as `Retry-After` says, or else 0.25 to 2 seconds, longer each time.
 * @throws {LatchkeyError} `network_error`
 */
export async function send(fetch: typeof globalThis.fetch, request: HttpRequest): Promise<HttpResponse> {
  const requestId = request.requestId ?? randomUUID()
  for (let attempts = 1; ; attempts++) {
    const attempt = await tryOnce(fetch, request, requestId)
    const wait =
      attempts < mostAttempts && canRepeat(attempt, request) ? secondsToWait(attempt, attempts) : null
    if (wait === null || wait > longestWait) {
      if (attempt.kind === 'answered') return attempt.response
      throw attempt.error
    }
    await sleep(wait * 1000, undefined, { signal: request.signal }).catch(() =>
      request.signal?.throwIfAborted(),
    )
  }
}

async function tryOnce(
  fetch: typeof globalThis.fetch,
  { method, url, headers, body, signal }: HttpRequest,
  requestId: string,
): Promise<Attempt> {
  try {
    const timeout = AbortSignal.timeout(attemptTimeout)
    const response = await fetch(url, {
      method,
      headers: { accept: 'application/json', 'x-api-request-id': requestId, ...headers },
      ...(body && { body }),
      // A redirect could send tokens and the client secret to another server.
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    })
    const { status, headers: received } = response
    const answer = { status, headers: received, text: await response.text() }
    return {
      kind: 'answered',
      response: { ...answer, requestId: received.get('x-api-request-id') ?? requestId },
    }
  } catch (cause) {
    signal?.throwIfAborted()
    const reason = cause instanceof Error ? cause.message : String(cause)
    const detail = `${method} ${url.origin}${url.pathname} got no response: ${reason}.`
    return { kind: 'failed', error: new LatchkeyError('network_error', detail, { requestId, cause }) }
  }
}

function canRepeat(attempt: Attempt, { idempotent }: HttpRequest): boolean {
  if (attempt.kind === 'failed') return idempotent
  const { status } = attempt.response
  return status === 429 || (idempotent && [502, 503, 504].includes(status))
}

function secondsToWait(attempt: Attempt, attempts: number): number {
  const retryAfter = attempt.kind === 'answered' ? retryAfterOf(attempt.response.headers) : undefined
  return retryAfter ?? (0.25 + Math.random() * 0.25) * 2 ** (attempts - 1)
}

/** `Retry-After` in seconds (RFC 9110 section 10.2.3: seconds or a date). */
function retryAfterOf(headers: Headers): number | undefined {
  const value = headers.get('retry-after') ?? ''
  if (/^\d+$/.test(value)) return Number(value)
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, (date - Date.now()) / 1000)
}

/** The error that a response describes: a problem document (RFC 9457) or an OAuth error (RFC 6749 section 5.2). */
export function errorOf({ status, headers, text, requestId }: HttpResponse): LatchkeyError {
  const body = parseObject(text)
  const code = textOf(body, 'code') ?? textOf(body, 'error') ?? 'invalid_response'
  const detail =
    textOf(body, 'detail') ??
    textOf(body, 'error_description') ??
    `The server answered with the status ${status} and no explanation.`
  const docs = textOf(body, 'type') ?? textOf(body, 'error_uri')
  return new LatchkeyError(code, detail, {
    status,
    requestId,
    docs: docs?.startsWith('http') ? docs : undefined,
    retryAfter: retryAfterOf(headers),
    parameters: Array.isArray(body.errors) ? body.errors.filter(isParameterError) : [],
  })
}

/** The JSON of a successful response. @throws {LatchkeyError} for another response, or another shape than expected */
export function readJson<T>(response: HttpResponse, hasShape: (value: unknown) => value is T): T {
  if (response.status !== 200) throw errorOf(response)
  const value = parseJson(response.text)
  if (hasShape(value)) return value
  const { status, requestId } = response
  throw new LatchkeyError('invalid_response', 'The response is not what the API describes.', {
    status,
    requestId,
  })
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function isParameterError(value: unknown): value is { parameter: string; detail: string } {
  return isObject(value) && typeof value.parameter === 'string' && typeof value.detail === 'string'
}

function textOf(body: Record<string, unknown>, name: string): string | undefined {
  const value = body[name]
  return typeof value === 'string' ? value : undefined
}

function parseObject(text: string): Record<string, unknown> {
  const value = parseJson(text)
  return isObject(value) ? value : {}
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
