/** Bytes of an answer, decompressed. Metadata, keys and tokens have a few kilobytes. */
const maxBytes = 256 * 1024

/** The answer of a provider cannot be used: it is too long, or at an address without TLS. */
export class UnusableAnswer extends Error {}

/**
 * As `fetch`, for requests to a provider: https only (http on the loopback interface), no redirects, and answers of limited
 * size. Redirects could lead to addresses that the operator did not configure.
 * @throws {UnusableAnswer}
 */
export async function boundedFetch(
  address: string,
  options: { method: string; headers: HeadersInit; signal?: AbortSignal; body?: URLSearchParams | null },
): Promise<Response> {
  if (!isSecure(new URL(address))) throw new UnusableAnswer(`${address} is not an https address`)
  const response = await fetch(address, { ...options, redirect: 'manual' })
  const { status, statusText, headers } = response
  return new Response(await bodyOf(response), { status, statusText, headers })
}

async function bodyOf({ body, url }: Response): Promise<Blob | null> {
  if (body === null) return null
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  for await (const piece of body) {
    bytes += piece.byteLength
    // Leaving the loop cancels the body.
    if (bytes > maxBytes) throw new UnusableAnswer(`the answer of ${url} is longer than ${maxBytes} bytes`)
    pieces.push(new Uint8Array(piece))
  }
  return new Blob(pieces)
}

/** Whether the address may get secrets: https, or http on the loopback interface. */
export function isSecure({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

export function isLoopback(hostname: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}
