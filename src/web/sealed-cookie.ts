import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { acceptedKeys } from '../secrets/derived-keys.ts'
import { openJson, sealJson } from '../secrets/seal.ts'
import { Compile, type Static, type TObject } from '../typebox.ts'
import { cookieName, cookieOptions } from './cookies.ts'

/** Of the value: browsers limit name, value and attributes together to 4096 bytes (RFC 6265bis section 5.6). */
const maxBytes = 3800

/**
 * A cookie that the browser can neither read nor change. All sealed texts have the same key: `schema` must differ from those of
 * all others, by a field `kind`. `expiresAt` of the content is in milliseconds since the epoch.
 */
export function sealedCookie<Schema extends TObject>(name: string, schema: Schema) {
  const compiled = Compile(schema)
  type Content = Static<Schema> & { expiresAt: number }
  return {
    /** @returns false, and sets nothing, if the content is too long: browsers drop longer cookies */
    set({ config, keys }: Context, reply: FastifyReply, content: Content): boolean {
      const sealed = sealJson(content, keys.current.seal)
      if (sealed.length > maxBytes) return false
      reply.setCookie(cookieName(config, name), sealed, cookieOptions(config))
      return true
    },
    /** Undefined: there is none, or it has expired. */
    open({ config, keys, now }: Context, request: FastifyRequest): Content | undefined {
      const sealed = request.cookies[cookieName(config, name)]
      const content = sealed && openJson(sealed, acceptedKeys(keys, 'seal'))
      return hasEnd(content) && compiled.Check(content) && content.expiresAt > now().getTime()
        ? content
        : undefined
    },
    clear({ config }: Pick<Context, 'config'>, reply: FastifyReply): void {
      reply.clearCookie(cookieName(config, name), cookieOptions(config))
    },
  }
}

function hasEnd(content: unknown): content is { expiresAt: number } {
  return (
    typeof content === 'object' &&
    content !== null &&
    'expiresAt' in content &&
    typeof content.expiresAt === 'number'
  )
}
