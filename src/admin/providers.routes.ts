import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { checkProvider } from '../idp/check-provider.ts'
import { findProvider, listProviders } from '../idp/providers.sql.ts'
import { notFound, ok } from '../management/answers.ts'
import { adminRoute } from './admin-edge.ts'
import { getProviderRoute, listProvidersRoute, testProviderRoute } from './providers.operations.ts'

const noSuchProvider = notFound('There is no identity provider with this id.')

/** Identity providers, with the use cases of `latchkey idp`. */
export function providerRoutes(app: FastifyInstance, context: Context): void {
  const { config, keys } = context
  adminRoute(app, context, listProvidersRoute, async ({ database }) =>
    ok({ data: await database.run(listProviders, [null]) }),
  )

  adminRoute(app, context, getProviderRoute, async ({ request: { params }, database }) => {
    const [provider] = await database.run(listProviders, [params.id])
    return provider ? ok(provider) : noSuchProvider
  })

  adminRoute(app, context, testProviderRoute, async ({ request: { params }, database }) => {
    const provider = await database.maybe(findProvider, [params.id])
    if (!provider) return noSuchProvider
    const checks = []
    for await (const check of checkProvider(provider, config, keys)) checks.push(check)
    return ok({ ok: checks.every((check) => check.ok), checks })
  })
}
