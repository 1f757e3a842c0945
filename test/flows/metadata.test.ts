import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tokensFor } from '../support/connection.ts'
import { seed } from '../support/directory.ts'
import { authorizationChecks } from '../support/metadata/authorization.ts'
import type { Checks, MetadataFixture } from '../support/metadata/checks.ts'
import { clientChecks } from '../support/metadata/clients.ts'
import { idTokenChecks } from '../support/metadata/id-token.ts'
import { resourceChecks } from '../support/metadata/resource.ts'
import { testServer } from '../support/server.ts'
import { Visitor } from '../support/visitor.ts'

const server = await testServer()
const context: MetadataFixture = { server, partner: await server.partner(), ada: new Visitor() }

beforeAll(async () => {
  await seed(server.database, { users: [{ id: 'ada' }], households: [{ id: 'h1' }] })
  await tokensFor(context.server, context.partner, 'ada', { visitor: context.ada })
})
afterAll(() => server.close())

const documents: [path: string, checks: Checks][] = [
  [
    '/.well-known/openid-configuration',
    { ...authorizationChecks(context), ...clientChecks(context), ...idTokenChecks(context) },
  ],
  ['/.well-known/oauth-protected-resource/service-open-api/', resourceChecks(context)],
]

describe.each(documents)('the values in %s are true', (path, checks) => {
  const served = async (): Promise<Record<string, unknown>> => (await fetch(server.authUrl + path)).json()

  test('each value has a check, and each check has a value', async () => {
    expect(Object.keys(await served()).sort()).toEqual(Object.keys(checks).sort())
  })

  test.each(Object.entries(checks))('%s', async (name, check) => {
    await check((await served())[name])
  })
})
