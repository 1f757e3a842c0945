import { describe, expect, test } from 'vitest'
import { serverFixture } from '../support/fixtures.ts'

type Reference = { $ref?: string }
type Operation = {
  operationId: string
  tags: string[]
  summary?: string
  description?: string
  deprecated?: boolean
  security: unknown
  parameters: (Reference & { name: string; in: string; required?: boolean; schema: object })[]
  responses: Record<string, Reference & { headers?: object }>
}
type Description = {
  servers: { url: string }[]
  tags: { name: string }[]
  info: { contact: { url: string } }
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, { description?: string; properties: Record<string, { description?: string }> }>
    securitySchemes: { oauth2: { flows: { authorizationCode: object } } }
  }
}

const sandbox = 'http://localhost:4000'
const server = await serverFixture({ authUrl: sandbox, baseUrl: `${sandbox}/service-open-api/` })
const address = `http://127.0.0.1:${server.context.config.port}/service-open-api/openapi.json`
const description: Description = JSON.parse(await (await fetch(address)).text())

const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
)
const operation = (id: string): Operation => {
  const found = operations.find(({ operation }) => operation.operationId === id)
  if (!found) throw new Error(`${id} is not described`)
  return found.operation
}
const limits = (id: string) =>
  Object.fromEntries(
    operation(id)
      .parameters.filter((parameter) => parameter.in === 'query')
      .map(({ name, schema, required }) => [name, { ...schema, ...(required && { required }) }]),
  )

test('docs/openapi.json is the document of a sandbox with its default addresses (npm run openapi updates it)', async () => {
  const text = `${JSON.stringify(description, null, 2)}\n`
  await expect(text).toMatchFileSnapshot('../../docs/openapi.json')
})

describe('openapi.json', () => {
  test('describes every operation of the API once', () => {
    expect(
      operations.map(({ method, path, operation }) => [operation.operationId, `${method} ${path}`]),
    ).toEqual([
      ['listHouseholds', 'get /api/v1/households'],
      ['syncHouseholds', 'get /api/v2/households'],
      ['getHousehold', 'get /api/v2/households/{household_id}'],
      ['listAccountsOfHousehold', 'get /api/v1/households/{household_id}/accounts'],
      ['syncAccounts', 'get /api/v2/accounts'],
      ['requestToken', 'post /oauth2/token'],
      ['revokeToken', 'post /oauth2/revoke'],
      ['introspectToken', 'post /oauth2/introspect'],
      ['getUserInfo', 'get /oauth2/userinfo'],
      ['postUserInfo', 'post /oauth2/userinfo'],
    ])
  })

  test('has the addresses of this deployment', () => {
    expect(description.servers.map(({ url }) => url)).toEqual([`${sandbox}/service-open-api`])
    expect(description.info.contact.url).toBe(`${sandbox}/service-open-api/docs`)
    expect(description.components.securitySchemes.oauth2.flows.authorizationCode).toMatchObject({
      authorizationUrl: `${sandbox}/api/oauth2/authorize`,
      tokenUrl: `${sandbox}/service-open-api/oauth2/token`,
    })
    expect(JSON.stringify(description)).not.toMatch(/\{(base|auth)_url\}/)
  })

  test('has the limits of the contract, and only the listing of version 1 is deprecated', () => {
    const page = { page: { minimum: 0, default: 0 }, page_size: { minimum: 1, maximum: 1000, default: 100 } }
    expect(limits('listHouseholds')).toMatchObject({ ...page, name_pattern: { maxLength: 256 } })
    expect(limits('listAccountsOfHousehold')).toMatchObject(page)
    expect(limits('syncHouseholds')).toMatchObject({
      limit: { minimum: 1, maximum: 1000, default: 100 },
      name_contains: { maxLength: 256 },
    })
    expect(
      JSON.stringify(operations.map(({ operation: { operationId } }) => limits(operationId))),
    ).not.toContain('"required"')
    expect(operations.filter(({ operation }) => operation.deprecated)).toEqual([
      expect.objectContaining({ path: '/api/v1/households' }),
    ])
  })

  test('describes every operation, parameter, schema and field', () => {
    const tags = description.tags.map(({ name }) => name)
    for (const { operation } of operations) {
      expect(operation).toMatchObject({ summary: expect.any(String), description: expect.any(String) })
      expect(tags).toContain(operation.tags[0])
      for (const parameter of operation.parameters)
        if (!parameter.$ref) expect(parameter).toHaveProperty('description')
    }
    for (const [name, schema] of Object.entries(description.components.schemas)) {
      expect([name, schema.description]).toEqual([name, expect.any(String)])
      for (const [field, property] of Object.entries(schema.properties)) {
        const described = '$ref' in property || property.description
        expect([name, field, Boolean(described)]).toEqual([name, field, true])
      }
    }
  })

  test('is the same for every client: scripts of any origin may read it, and a copy is revalidated', async () => {
    const first = await fetch(address)
    const etag = first.headers.get('etag') ?? ''
    for (const [init, status] of [
      [{}, 200],
      [{ method: 'HEAD' }, 200],
      [{ headers: { 'if-none-match': etag } }, 304],
    ] as const) {
      const { headers, status: received } = await fetch(address, init)
      expect([received, headers.get('access-control-allow-origin'), headers.get('etag')]).toEqual([
        status,
        '*',
        etag,
      ])
    }
    expect(first.headers.get('content-type')).toBe('application/json; charset=utf-8')
  })
})
