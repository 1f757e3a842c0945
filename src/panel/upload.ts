import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ExplainedError } from '../explained-error.ts'
import Type from '../typebox.ts'

/** A file in a form. Empty: none was chosen. */
export const Upload = Type.Unsafe<Buffer>({})

/** Bytes of the other fields of a form with a file, and of its boundaries. */
const otherFields = 16 * 1024

class MalformedForm extends ExplainedError {
  readonly statusCode = 400
}

/**
 * Lets forms of this scope contain a file (`multipart/form-data`, RFC 7578). The body is an object as of other forms; a file is a
 * Buffer.
 * @param mostBytes of the file. A larger form is refused with 413 before it is read to its end
 */
export function acceptUploads(app: FastifyInstance, mostBytes: number): void {
  app.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer', bodyLimit: mostBytes + otherFields },
    async (request: FastifyRequest, body: Buffer) => {
      const headers = { 'content-type': request.headers['content-type'] ?? '' }
      const form = await new Response(new Uint8Array(body), { headers }).formData().catch(() => {
        throw new MalformedForm('The form is malformed.')
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
