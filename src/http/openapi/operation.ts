import type { TSchema } from '../../typebox.ts'
import { everyResponse, type RequestHeader, type ResponseHeader } from './headers.ts'

/** An operation in the OpenAPI document, as `config` of its route. The parameters come from the route's own schemas. */
export type Operation = {
  operationId: string
  /** The name of its group. */
  tag: string
  summary: string
  description: string
  deprecated?: true
  /** Who authenticates: the user by an access token, the partner by its credentials, or a program of the operator. */
  authentication: 'accessToken' | 'client' | 'apiKey'
  headers?: readonly RequestHeader[]
  body?: Body
  responses: Record<number, Response>
}

type Examples = Record<string, { summary: string; value: unknown }>

/** `mediaTypes` have the same schema. */
export type Body = {
  description: string
  required: boolean
  mediaTypes: string[]
  schema: TSchema
  examples?: Examples
}

/** `name`: the name of a response that several operations share. */
export type Response = {
  name?: string
  description: string
  headers: readonly ResponseHeader[]
  mediaType?: string
  schema?: TSchema
  examples?: Examples
}

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation
    /** Of the admin API or the developer API. */
    managementOperation?: Operation
  }
}

/** A successful response with a JSON body. */
export function json(
  schema: TSchema,
  description: string,
  { headers = [], ...more }: { headers?: readonly ResponseHeader[]; examples?: Examples } = {},
): Response {
  return {
    description,
    headers: [...everyResponse, ...headers],
    mediaType: 'application/json',
    schema,
    ...more,
  }
}

/** The responses with more headers. They are no longer shared, and the shared ones have the examples. */
export function withHeaders(
  responses: Record<number, Response>,
  headers: readonly ResponseHeader[],
): Record<number, Response> {
  return Object.fromEntries(
    Object.entries(responses).map(([status, { name: _, examples: __, ...response }]) => [
      status,
      { ...response, headers: [...response.headers, ...headers] },
    ]),
  )
}
