import type { FastifySchemaCompiler } from 'fastify'
import { Compile, type TSchema } from '../typebox.ts'

/**
 * Validates with TypeBox. Only integers in the query are converted, and only from decimal digits. Fastify's own coercion
 * turns `0x10` into 16, `1e2` into 100 and 2^53+1 into a different number.
 */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const check = compiledOnce(schema)
  const integers = httpPart === 'querystring' ? integerProperties(schema) : new Map<string, string>()
  return (value) => {
    const candidate = integers.size > 0 ? withIntegers(value, integers) : value
    if (check.Check(candidate)) return { value: candidate }
    // TypeBox says only "must be integer", for -1 and for abc. The client gets the allowed range instead.
    const explain = (path: string, message: string) => integers.get(path.slice(1)) ?? message
    return {
      error: check.Errors(candidate).map((fault) => ({
        ...fault,
        message: explain(fault.instancePath, fault.message),
      })),
    }
  }
}

type Compiled = ReturnType<typeof Compile<TSchema>>

const compiled = new WeakMap<TSchema, Compiled>()

/** Several routes have the same schema, which is compiled once. */
function compiledOnce(schema: TSchema): Compiled {
  const check = compiled.get(schema) ?? Compile(schema)
  compiled.set(schema, check)
  return check
}

/** The integer properties of the schema by name, each with the message for an invalid value. */
function integerProperties(schema: TSchema): Map<string, string> {
  const properties = 'properties' in schema ? schema.properties : undefined
  if (typeof properties !== 'object' || properties === null) return new Map()
  return new Map(
    Object.entries(properties).flatMap(([name, property]) => {
      const range = integerRange(property)
      return range ? [[name, `must be a whole number ${range}, in decimal digits`]] : []
    }),
  )
}

function integerRange(property: unknown): string | undefined {
  if (typeof property !== 'object' || property === null) return undefined
  if (!('type' in property) || property.type !== 'integer') return undefined
  const from = 'minimum' in property ? property.minimum : 0
  return 'maximum' in property ? `from ${from} to ${property.maximum}` : `of ${from} or more`
}

function withIntegers(value: unknown, integers: Map<string, string>): unknown {
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, text]) => [
    name,
    integers.has(name) ? integer(text) : text,
  ])
  return Object.fromEntries(entries)
}

function integer(text: unknown): unknown {
  const exact = typeof text === 'string' && /^[0-9]{1,16}$/.test(text) && Number.isSafeInteger(Number(text))
  return exact ? Number(text) : text
}
