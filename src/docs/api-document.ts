import Type, { Compile, type Static } from '../typebox.ts'

const text = Type.Optional(Type.String())

const definitions = {
  Schema: Type.Object({
    $ref: text,
    title: text,
    description: text,
    type: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())])),
    format: text,
    const: Type.Optional(Type.Unknown()),
    enum: Type.Optional(Type.Array(Type.Unknown())),
    default: Type.Optional(Type.Unknown()),
    minimum: Type.Optional(Type.Number()),
    maximum: Type.Optional(Type.Number()),
    minLength: Type.Optional(Type.Number()),
    maxLength: Type.Optional(Type.Number()),
    pattern: text,
    deprecated: Type.Optional(Type.Boolean()),
    examples: Type.Optional(Type.Array(Type.Unknown())),
    required: Type.Optional(Type.Array(Type.String())),
    properties: Type.Optional(Type.Record(Type.String(), Type.Ref('Schema'))),
    items: Type.Optional(Type.Ref('Schema')),
    oneOf: Type.Optional(Type.Array(Type.Ref('Schema'))),
    anyOf: Type.Optional(Type.Array(Type.Ref('Schema'))),
    allOf: Type.Optional(Type.Array(Type.Ref('Schema'))),
  }),
}
const Schema = Type.Cyclic(definitions, 'Schema')
export type Schema = Static<typeof Schema>

const Media = Type.Object({
  schema: Type.Optional(Schema),
  example: Type.Optional(Type.Unknown()),
  examples: Type.Optional(
    Type.Record(
      Type.String(),
      Type.Object({ summary: text, description: text, value: Type.Optional(Type.Unknown()) }),
    ),
  ),
})
export type Media = Static<typeof Media>

const content = Type.Optional(Type.Record(Type.String(), Media))

const Parameter = Type.Object({
  $ref: text,
  name: text,
  in: text,
  description: text,
  required: Type.Optional(Type.Boolean()),
  deprecated: Type.Optional(Type.Boolean()),
  schema: Type.Optional(Schema),
  example: Type.Optional(Type.Unknown()),
})

const Response = Type.Object({
  $ref: text,
  description: text,
  headers: Type.Optional(Type.Record(Type.String(), Parameter)),
  content,
})
export type Response = Static<typeof Response>

const Body = Type.Object({ $ref: text, description: text, required: Type.Optional(Type.Boolean()), content })

const Operation = Type.Object({
  operationId: Type.String(),
  summary: text,
  description: text,
  deprecated: Type.Optional(Type.Boolean()),
  tags: Type.Optional(Type.Array(Type.String())),
  parameters: Type.Optional(Type.Array(Parameter)),
  requestBody: Type.Optional(Body),
  responses: Type.Optional(Type.Record(Type.String(), Response)),
  security: Type.Optional(Type.Array(Type.Record(Type.String(), Type.Unknown()))),
})
export type Operation = Static<typeof Operation> & { method: string; path: string }

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const

const PathItem = Type.Object(Object.fromEntries(methods.map((method) => [method, Type.Optional(Operation)])))

/** The parts of an OpenAPI 3.1 document that the reference shows. */
const ApiDocument = Type.Object({
  info: Type.Object({ title: Type.String(), description: text }),
  tags: Type.Optional(Type.Array(Type.Object({ name: Type.String(), description: text }))),
  paths: Type.Record(Type.String(), PathItem),
  components: Type.Optional(
    Type.Object({
      schemas: Type.Optional(Type.Record(Type.String(), Schema)),
      parameters: Type.Optional(Type.Record(Type.String(), Parameter)),
      headers: Type.Optional(Type.Record(Type.String(), Parameter)),
      responses: Type.Optional(Type.Record(Type.String(), Response)),
      requestBodies: Type.Optional(Type.Record(Type.String(), Body)),
    }),
  ),
})
export type ApiDocument = Static<typeof ApiDocument>

/** @throws if a part that the reference shows has another shape */
export function checkApiDocument(document: unknown): ApiDocument {
  if (Compile(ApiDocument).Check(document)) return document
  throw new Error('the OpenAPI document has a shape that the reference cannot show')
}

export function operationsOf({ paths }: ApiDocument): Operation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method]
      return operation ? [{ ...operation, method: method.toUpperCase(), path }] : []
    }),
  )
}

/** `Household` of `#/components/schemas/Household`. */
export function refName($ref: string): string {
  return $ref.slice($ref.lastIndexOf('/') + 1)
}

/** Follows a `$ref` into the components. */
export function resolved<T extends { $ref?: string }>(
  value: T,
  components: Record<string, T> | undefined,
): T {
  const target = value.$ref === undefined ? undefined : components?.[refName(value.$ref)]
  return target ? resolved(target, components) : value
}
