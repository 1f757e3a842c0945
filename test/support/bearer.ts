import { type BearerToken, readBearer } from '../../src/resource/bearer.ts'
import { testKeys } from './server.ts'

/** An access token as the statements of a sandbox server with the shared test secret get it. */
export function bearerOf(accessToken: string): BearerToken {
  const verifier = {
    config: { environment: 'sandbox' as const },
    keys: testKeys('sandbox'),
    now: () => new Date(),
  }
  const bearer = readBearer(verifier, `Bearer ${accessToken}`)
  if (bearer.kind === 'refused') throw new Error(bearer.explanation)
  return bearer
}
