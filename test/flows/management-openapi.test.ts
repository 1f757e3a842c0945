import { describe, expect, test } from 'vitest'
import { developerRoles } from '../../src/developer-keys/roles.ts'
import { scopes } from '../../src/operators/scopes.ts'
import { serverFixture } from '../support/fixtures.ts'

type Schema = { $ref?: string; description?: string; properties?: Record<string, Schema> }
type Operation = {
  operationId: string
  tags: string[]
  summary: string
  description: string
  security: unknown
  parameters: { $ref?: string; description?: string }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, object>
}
type Document = {
  servers: { url: string }[]
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

const sandbox = 'http://localhost:4000'
const server = await serverFixture({ authUrl: sandbox, baseUrl: `${sandbox}/service-open-api/` })

type Api = { name: string; path: string; rights: readonly string[] }
const apis: Api[] = [
  { name: 'admin', path: '/admin/v1', rights: scopes.map((scope) => `Scope: \`${scope}\`.`) },
  { name: 'developer', path: '/developers/v1', rights: developerRoles.map((role) => `Role: \`${role}\`.`) },
]

describe.each(apis)('the $name API', async ({ name, path, rights }) => {
  const response = await fetch(`http://127.0.0.1:${server.context.config.port}${path}/openapi.json`)
  const document: Document = await response.json()
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))

  test(`docs/${name}-openapi.json is the document of a sandbox with its default addresses (npm run openapi updates it)`, async () => {
    const text = `${JSON.stringify(document, null, 2)}\n`
    await expect(text).toMatchFileSnapshot(`../../docs/${name}-openapi.json`)
    expect(document.servers.map(({ url }) => url)).toEqual([`${sandbox}${path}`])
    expect(JSON.stringify(document)).not.toMatch(/\{(base|auth)_url\}/)
  })

  test('57: no script of another site may read it, and no operation is without a key', () => {
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    for (const { security } of operations) expect(security).toEqual([{ apiKey: [] }])
  })

  test('every operation has a right, a tag, and the errors that it can answer', () => {
    const ids = operations.map(({ operationId }) => operationId)
    expect(ids).toEqual([...new Set(ids)])
    const tags = document.tags.map(({ name }) => name)
    for (const operation of operations) {
      expect(rights).toContain(operation.description.split('\n\n').at(-1))
      expect(tags).toContain(operation.tags[0])
      expect(Object.keys(operation.responses)).toEqual(
        expect.arrayContaining(['401', '403', '429', '500', '503']),
      )
      if (operation.requestBody)
        expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['415', '422']))
    }
  })

  test('every parameter, schema and field is described', () => {
    for (const { parameters } of operations) {
      for (const parameter of parameters) if (!parameter.$ref) expect(parameter).toHaveProperty('description')
    }
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      expect([name, schema.description]).toEqual([name, expect.any(String)])
      for (const [field, property] of Object.entries(schema.properties ?? {})) {
        expect([name, field, Boolean('$ref' in property || property.description)]).toEqual([
          name,
          field,
          true,
        ])
      }
    }
  })
})
