import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import Negotiator from 'negotiator'

/** The fastest levels. The next levels halve the size again, but cost three times the CPU of the rest of the call. */
const compressors = {
  br: (body: string) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  gzip: (body: string) => promisify(gzip)(body, { level: 1 }),
}

export type Coding = keyof typeof compressors
export const codings = ['br', 'gzip'] as const satisfies Coding[]

/** Characters. A shorter body fits into a few packets, where compression costs more than it saves. */
const threshold = 16 * 1024

/** The coding that the client prefers for this body (RFC 9110 section 12.5.3). Undefined: send it uncompressed. */
export function codingFor(acceptEncoding: string | undefined, body: string): Coding | undefined {
  if (acceptEncoding === undefined || body.length < threshold) return undefined
  const [preferred] = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } }).encodings([
    ...codings,
    'identity',
  ])
  return codings.find((coding) => coding === preferred)
}

/** Compresses off the event loop. */
export function compressed(body: string, coding: Coding): Promise<Buffer> {
  return compressors[coding](body)
}
