import { addProvider, type NewProvider } from '../../src/idp/providers.ts'
import type { TestServer } from './server.ts'

/** Adds a provider as `latchkey idp add` does. */
export async function addTestProvider(
  { database, context }: TestServer,
  provider: Pick<NewProvider, 'id' | 'issuer'> & Partial<NewProvider>,
): Promise<void> {
  const outcome = await addProvider(database, context.keys, {
    name: 'Northbridge',
    clientId: 'latchkey',
    authMethod: 'client_secret_basic',
    secret: 'a client secret of more than 32 bytes, for tests',
    algorithm: 'ES256',
    claim: 'email',
    matches: 'email',
    domains: [],
    firms: [],
    creates: undefined,
    scope: 'openid email',
    acrValues: undefined,
    ...provider,
  })
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome))
}
