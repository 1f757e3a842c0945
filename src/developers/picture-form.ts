import type { FastifyInstance, FastifyRequest } from 'fastify'
import Type, { type Static } from '../typebox.ts'

/** Bytes of a form with a picture of 64 kB. */
const maxForm = 80_000

/** The form with a picture. `logo` is the content of the file in base64. */
export const LogoForm = Type.Object({ _csrf: Type.String(), logo: Type.String({ maxLength: maxForm * 2 }) })
export type LogoForm = Static<typeof LogoForm>

/**
 * Lets the routes of this scope read forms with a file (RFC 7578), which need no script in the browser. Node parses them. The
 * values are texts, as those of other forms; that of a file is its content in base64.
 */
export function pictureForms(app: FastifyInstance): void {
  const options = { parseAs: 'buffer', bodyLimit: maxForm } as const
  app.addContentTypeParser<Buffer>(
    'multipart/form-data',
    options,
    async (request: FastifyRequest, body: Buffer) => {
      const headers = { 'content-type': request.headers['content-type'] ?? '' }
      // A form that Node cannot parse has no fields, so it has no CSRF token and is refused.
      const form = await new Response(new Uint8Array(body), { headers })
        .formData()
        .catch(() => new FormData())
      const fields = [...form].map(async ([name, value]) => {
        const text =
          typeof value === 'string' ? value : Buffer.from(await value.arrayBuffer()).toString('base64')
        return [name, text] as const
      })
      return Object.fromEntries(await Promise.all(fields))
    },
  )
}
