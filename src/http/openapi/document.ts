import type { TSchema } from '../../typebox.ts'
import { requestHeaders, responseHeaders } from './headers.ts'
import type { Body, Operation, Response } from './operation.ts'

export type Json = { [name: string]: unknown }

/** A route that has an operation. `path` begins with a slash and follows the server address of the document. */
export type DescribedRoute = {
  method: string
  path: string
  operation: Operation
  params?: unknown
  querystring?: unknown
}

/** The document's `paths`, and its `components` as far as the operations refer to them. */
export function describeRoutes(routes: DescribedRoute[]): { paths: Json; components: Record<string, Json> } {
  const components: Components = { schemas: {}, responses: {}, parameters: {}, headers: {} }
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeOperation(route, components) }
  }
  return { paths, components: Object.fromEntries(Object.entries(components).map(sorted)) }
}

type Components = Record<'schemas' | 'responses' | 'parameters' | 'headers', Json>

const sorted = ([name, entries]: [string, Json]): [string, Json] => [
  name,
  Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1))),
]

/** Adds the component and returns a reference to it. */
function refer(components: Components, kind: keyof Components, name: string, component: () => unknown): Json {
  if (!(name in components[kind])) {
    components[kind][name] = {} // reserved, so that a schema may refer to itself
    components[kind][name] = component()
  }
  return { $ref: `#/components/${kind}/${name}` }
}

function describeOperation({ operation, params, querystring }: DescribedRoute, components: Components): Json {
  const { operationId, tag, summary, description, deprecated, authentication, body, responses } = operation
  const headers = ['X-API-Request-ID', ...(operation.headers ?? [])] as const
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    ...(deprecated && { deprecated }),
    security: securityOf[authentication],
    parameters: [
      ...parametersIn('path', params),
      ...parametersIn('query', querystring),
      ...headers.map((name) =>
        refer(components, 'parameters', name, () => ({ name, in: 'header', ...requestHeaders[name] })),
      ),
    ],
    ...(body && { requestBody: describeBody(body, components) }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [
        status,
        response.name
          ? refer(components, 'responses', response.name, () => describeResponse(response, components))
          : describeResponse(response, components),
      ]),
    ),
  }
}

/** With `client`, the credentials may also be in the request body. */
const securityOf = {
  accessToken: [{ bearer: [] }],
  client: [{ clientSecretBasic: [] }, {}],
  apiKey: [{ apiKey: [] }],
}

function parametersIn(place: 'path' | 'query', schema: unknown): Json[] {
  if (!isObject(schema) || !isObject(schema.properties)) return []
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(schema.properties).map(([name, property]) => {
    const { description, examples, ...rest } = isObject(property) ? property : {}
    const [example] = Array.isArray(examples) ? examples : []
    return {
      name,
      in: place,
      description,
      ...(required.includes(name) && { required: true }),
      schema: rest,
      ...(example !== undefined && { example }),
    }
  })
}

function describeBody({ mediaTypes, schema, examples, ...rest }: Body, components: Components): Json {
  const content = { schema: withReferences(schema, components), ...(examples && { examples }) }
  return { ...rest, content: Object.fromEntries(mediaTypes.map((type) => [type, content])) }
}

function describeResponse(response: Response, components: Components): Json {
  const { description, headers, mediaType, schema, examples } = response
  return {
    description,
    headers: Object.fromEntries(
      headers.map((name) => [name, refer(components, 'headers', name, () => responseHeaders[name])]),
    ),
    ...(mediaType &&
      schema && {
        content: {
          [mediaType]: { schema: withReferences(schema, components), ...(examples && { examples }) },
        },
      }),
  }
}

/** A copy in which each schema with an `$id` is a reference to a component of this name. */
function withReferences(schema: TSchema, components: Components): unknown {
  const copy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copy)
    if (!isObject(value)) return value
    const { $id, ...rest } = value
    const copied = () => Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, copy(inner)]))
    return typeof $id === 'string' ? refer(components, 'schemas', $id, copied) : copied()
  }
  return copy(schema)
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null
}
