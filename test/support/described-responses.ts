import { readFileSync } from 'node:fs'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

// Every response of the API in the tests must be one that docs/openapi.json describes: status, headers and body. The same
// holds for the admin API and docs/admin-openapi.json, and for the developer API and docs/developer-openapi.json.

type Reference = { $ref?: string }
type Header = { required?: boolean; schema: { type: string } }
type Described = {
  headers: Record<string, Reference & Partial<Header>>
  content?: Record<string, { schema: object }>
}
type Document = {
  paths: Record<string, Record<string, { responses: Record<string, Reference & Partial<Described>> }>>
  components: {
    responses: Record<string, Described>
    headers: Record<string, Header>
    schemas: Record<string, { type: string; additionalProperties?: boolean }>
  }
}

const faults: string[] = []

/** Throws if a response since the last call was not as described. */
export function expectDescribedResponses(): void {
  const found = faults.splice(0)
  if (found.length > 0) {
    throw new Error(
      `docs/openapi.json, docs/admin-openapi.json or docs/developer-openapi.json (npm run openapi) does not describe:\n${found.join('\n')}`,
    )
  }
}

/** Checks the responses of this server. `basePath` is the path of its `baseUrl`. */
export function checkResponses(app: FastifyInstance, basePath: string): void {
  app.addHook('onSend', async (request, reply, payload) => checkResponse(basePath, request, reply, payload))
}

function checkResponse(
  basePath: string,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): void {
  const [address = ''] = request.url.split('?')
  for (const [name, prefix] of managementApis) {
    if (!address.startsWith(prefix)) continue
    if (address !== `${prefix}openapi.json`)
      report(name, address.slice(prefix.length - 1), request, reply, payload)
    return
  }
  const isBelowBase = address.startsWith(basePath)
  const path = isBelowBase ? address.slice(basePath.length - 1) : address
  // At the root of the origin there is the API, but no OAuth endpoint that partners call.
  if (!(isBelowBase ? /^\/(api\/v\d|oauth2\/)/ : /^\/api\/v\d/).test(path)) return
  report('openapi', path, request, reply, payload)
}

const managementApis = [
  ['admin-openapi', '/admin/v1/'],
  ['developer-openapi', '/developers/v1/'],
] as const

function report(
  name: DocumentName,
  path: string,
  { method }: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): void {
  const text = bodyText(payload, reply.getHeader('content-encoding'))
  for (const fault of responseFaults(name, { method, path, status: reply.statusCode, reply, text })) {
    faults.push(`${method} ${path} ${reply.statusCode}: ${fault}\n  ${text.slice(0, 300)}`)
  }
}

type Response = { method: string; path: string; status: number; reply: FastifyReply; text: string }

function responseFaults(of: DocumentName, { method, path, status, reply, text }: Response): string[] {
  const { document, operations } = description(of)
  const operation = operations.find(({ pattern }) => pattern.test(path))?.methods[
    method === 'HEAD' ? 'get' : method.toLowerCase()
  ]
  const mediaType = String(reply.getHeader('content-type') ?? '').split(';')[0] ?? ''
  if (!operation) {
    // No operation: an error, in the format of the address.
    const name = mediaType === 'application/problem+json' ? 'Problem' : 'OAuthError'
    if (![400, 404, 405].includes(status)) return ['no operation is described']
    if (mediaType === 'text/html' && method === 'GET') return [] // for a person with a browser
    return method === 'HEAD' ? [] : schemaFaults(of, { $ref: `#/components/schemas/${name}` }, text)
  }
  const reference = operation.responses[status]
  const described = reference?.$ref ? document.components.responses[lastWord(reference.$ref)] : reference
  if (!described?.headers) return ['the status is not described']
  const content = described.content?.[mediaType]
  const bodyFaults = () => {
    if (!described.content) return text === '' ? [] : ['a body is not described']
    return content ? schemaFaults(of, content.schema, text) : [`${mediaType} is not described`]
  }
  return [...headerFaults(of, described.headers, reply), ...(method === 'HEAD' ? [] : bodyFaults())]
}

function headerFaults(of: DocumentName, described: Described['headers'], reply: FastifyReply): string[] {
  return Object.entries(description(of).document.components.headers).flatMap(
    ([name, { required, schema }]) => {
      const value = reply.getHeader(name)
      if (value === undefined) return described[name] && required ? [`${name} is missing`] : []
      if (!described[name]) return [`${name} is not described`]
      const text = String(value)
      return valid(of, schema)(schema.type === 'integer' ? Number(text) : text) ? [] : [`${name}: ${text}`]
    },
  )
}

function schemaFaults(of: DocumentName, schema: object, text: string): string[] {
  const validate = valid(of, schema)
  if (validate(text === '' ? undefined : JSON.parse(text))) return []
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    [instancePath, message, JSON.stringify(params)].join(' '),
  )
}

function bodyText(payload: unknown, coding: unknown): string {
  if (Buffer.isBuffer(payload)) {
    const decode = coding === 'br' ? brotliDecompressSync : coding === 'gzip' ? gunzipSync : String
    return decode(payload).toString()
  }
  return typeof payload === 'string' ? payload : ''
}

const compiled = new WeakMap<object, ValidateFunction>()

/** Compiles a schema of the document when it is first needed. */
function valid(of: DocumentName, schema: object): ValidateFunction {
  const validate = compiled.get(schema) ?? description(of).ajv.compile(withIdOfDocument(schema))
  compiled.set(schema, validate)
  return validate
}

const withIdOfDocument = (schema: object): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"openapi#/'))

const lastWord = (reference: string) => reference.split('/').at(-1) ?? ''

type DocumentName = 'openapi' | 'admin-openapi' | 'developer-openapi'

const descriptions = new Map<DocumentName, ReturnType<typeof readDescription>>()
function description(of: DocumentName) {
  const found = descriptions.get(of) ?? readDescription(of)
  descriptions.set(of, found)
  return found
}

function readDescription(of: DocumentName) {
  const document: Document = JSON.parse(
    readFileSync(new URL(`../../docs/${of}.json`, import.meta.url), 'utf8'),
  )
  // Clients must accept further fields, but the tests must not: a field that is not described is a mistake.
  for (const schema of Object.values(document.components.schemas)) schema.additionalProperties = false
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  ajv.addSchema({ $id: 'openapi', components: { schemas: document.components.schemas } })
  // A path without parameters comes before one with parameters that also matches.
  const paths = Object.entries(document.paths).sort(([a], [b]) => a.split('{').length - b.split('{').length)
  const operations = paths.map(([path, methods]) => ({
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]*')}$`),
    methods,
  }))
  return { document, ajv, operations }
}
