import type { FastifyInstance, FastifyRequest } from 'fastify'
import { MalformedParameters } from '../http/parameters.ts'

/** Bytes of the other fields of a form with a file, and of its boundaries. */
const otherFields = 16 * 1024

/** The file in a field of a form. Undefined: none was chosen, or the field is a text. */
export function uploadOf(field: unknown): Buffer | undefined {
  return Buffer.isBuffer(field) && field.length > 0 ? field : undefined
}

/**
 * Lets forms of this scope contain a file (`multipart/form-data`, RFC 7578). The body is an object as of other forms; a file is
 * a Buffer.
 * @param mostBytes of the file. A larger form is refused with 413 before it is read to its end
 */
export function acceptUploads(app: FastifyInstance, mostBytes: number): void {
  app.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer', bodyLimit: mostBytes + otherFields },
    async (request: FastifyRequest, body: Buffer) => {
      const headers = { 'content-type': request.headers['content-type'] ?? '' }
      const form = await new Response(new Uint8Array(body), { headers }).formData().catch(() => {
        throw new MalformedParameters('The form is malformed.')
      })
      const fields = [...form].map(
        async ([name, value]): Promise<[string, string | Buffer]> => [
          name,
          typeof value === 'string' ? value : Buffer.from(await value.arrayBuffer()),
        ],
      )
      return Object.fromEntries(await Promise.all(fields))
    },
  )
}
