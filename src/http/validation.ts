import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

/**
 * Validates with TypeBox and coerces nothing but strict decimal digits of an integer in the query. Fastify's own coercion
 * turns `0x10` into 16, `1e2` into 100 and 2^53+1 into its neighbour.
 */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const check = Compile(schema)
  const integers = httpPart === 'querystring' ? integerProperties(schema) : []
  return (value) => {
    const candidate = integers.length > 0 ? withIntegers(value, integers) : value
    if (check.Check(candidate)) return { value: candidate }
    return { error: check.Errors(candidate) }
  }
}

function integerProperties(schema: TSchema): string[] {
  const properties = 'properties' in schema ? schema.properties : undefined
  return typeof properties === 'object' && properties !== null
    ? Object.entries(properties).flatMap(([name, property]) => (isInteger(property) ? name : []))
    : []
}

function isInteger(property: unknown): boolean {
  return (
    typeof property === 'object' && property !== null && 'type' in property && property.type === 'integer'
  )
}

function withIntegers(value: unknown, names: string[]): unknown {
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, text]) => [
    name,
    names.includes(name) ? integer(text) : text,
  ])
  return Object.fromEntries(entries)
}

function integer(text: unknown): unknown {
  const exact = typeof text === 'string' && /^[0-9]{1,16}$/.test(text) && Number.isSafeInteger(Number(text))
  return exact ? Number(text) : text
}
