import { type IncomingMessage, request as requestByHttp } from 'node:http'
import { request as requestByHttps } from 'node:https'

/** Bytes of an answer. Metadata, keys and tokens have a few kilobytes. */
const maxBytes = 256 * 1024

/** The answer of a provider cannot be used: it is too long, or at an address without TLS. */
export class UnusableAnswer extends Error {}

type Options = { method: string; headers: HeadersInit; signal?: AbortSignal; body?: URLSearchParams | null }

/**
 * As `fetch`, for requests to a provider: https only (http on the loopback interface), no redirects, no compression, and
 * answers of limited size. Redirects could lead to addresses that the operator did not configure.
 *
 * It uses Node's HTTP client, whose default agent keeps connections open for a few seconds: `fetch` of Node takes several times
 * the CPU for a small answer, and every login sends a request.
 * @throws {UnusableAnswer}
 * @throws {TypeError} if there is no connection, as `fetch`
 */
export async function boundedFetch(address: string, options: Options): Promise<Response> {
  const url = new URL(address)
  if (!isSecure(url)) throw new UnusableAnswer(`${address} is not an https address`)
  try {
    const response = await answerTo(url, options)
    return responseOf(response, await bodyOf(response, url))
  } catch (error) {
    if (error instanceof UnusableAnswer) throw error
    options.signal?.throwIfAborted()
    throw new TypeError('fetch failed', { cause: error })
  }
}

function answerTo(url: URL, { method, headers, signal, body }: Options): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? requestByHttps : requestByHttp
  const sent = { ...Object.fromEntries(new Headers(headers)), 'accept-encoding': 'identity' }
  return new Promise((resolve, reject) => {
    request(url, { method, headers: sent, ...(signal && { signal }) }, resolve)
      .on('error', reject)
      .end(body?.toString())
  })
}

async function bodyOf(response: IncomingMessage, url: URL): Promise<Buffer> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of response) {
    bytes += piece.byteLength
    // Leaving the loop closes the connection.
    if (bytes > maxBytes)
      throw new UnusableAnswer(`the answer of ${url.href} is longer than ${maxBytes} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/** `openid-client` and `jose` read answers in the form of `fetch`. */
function responseOf({ statusCode, statusMessage, headersDistinct }: IncomingMessage, body: Buffer): Response {
  const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
  const init = { status: statusCode ?? 0, statusText: statusMessage ?? '', headers }
  return new Response(body.length > 0 ? new Uint8Array(body) : null, init)
}

/** Whether the address may get secrets: https, or http on the loopback interface. */
export function isSecure({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

export function isLoopback(hostname: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}
