import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { closestMatch } from 'leven'

/**
 * Names the parameters of a call that its operation does not know. They are ignored and not refused, so that a client may
 * send parameters of a later version. No `X-`: RFC 6648.
 */
const header = 'api-unknown-parameters'

/** At most so many names, and so many characters of each, are in the header. */
const maxNames = 8
const maxLength = 40

/** Names that other APIs use, in small letters and without punctuation, with the parameters that may be meant. */
const meanings = Object.entries({
  'page_size limit': 'pagesize perpage limit size count maxresults max rows top first take',
  'name_pattern name_contains':
    'namepattern namecontains name namefilter pattern contains search query q filter text',
  updated_since: 'since updatedafter updatedfrom modifiedsince modifiedafter changedsince lastsync asof from',
  'page cursor': 'page pagenumber pageno pageindex offset skip start',
  cursor: 'after startingafter next nextcursor pagetoken nextpagetoken continuationtoken token',
})
const meant = new Map(
  meanings.flatMap(([parameters, names]) =>
    names.split(' ').map((name) => [name, parameters.split(' ')] as const),
  ),
)

/** Adds the header to the answers of all operations that are registered after this. */
export function reportUnknownParameters(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (route.config?.operation === undefined) return
    const known = propertiesOf(route.schema?.querystring)
    // Before validation, so that an error has the header too.
    const report = async (request: FastifyRequest, reply: FastifyReply) => {
      const unknown = unknownNames(request.query, known)
      if (unknown) reply.header(header, describe(unknown, known))
    }
    route.preValidation = [report, ...[route.preValidation ?? []].flat()]
  })
}

function propertiesOf(schema: unknown): string[] {
  const hasProperties = typeof schema === 'object' && schema !== null && 'properties' in schema
  return hasProperties ? Object.keys(schema.properties ?? {}) : []
}

/** Undefined if all names are known, which costs only this loop. */
function unknownNames(query: unknown, known: string[]): string[] | undefined {
  let unknown: string[] | undefined
  for (const name in Object(query)) {
    if (known.includes(name)) continue
    unknown ??= []
    if (unknown.push(name) === maxNames) break
  }
  return unknown
}

/**
 * A list of strings (RFC 9651), each with the parameter that may be meant. A name is text from the request: characters that
 * end a string or a header line are replaced.
 */
function describe(unknown: string[], known: string[]): string {
  return unknown
    .map((name) => {
      const suggestion = suggest(name.slice(0, maxLength), known)
      const shown = name.slice(0, maxLength).replaceAll(/[^\x20-\x7e]|["\\]/g, '?')
      return `"${shown}"${suggestion === undefined ? '' : `;use="${suggestion}"`}`
    })
    .join(', ')
}

function suggest(name: string, known: string[]): string | undefined {
  const letters = name.toLowerCase().replaceAll(/[^a-z]/g, '')
  const byMeaning = meant.get(letters)?.find((parameter) => known.includes(parameter))
  return byMeaning ?? closestMatch(name.toLowerCase(), known, { maxDistance: letters.length > 5 ? 2 : 1 })
}
