import { type BearerToken, readBearer } from '../../src/resource/bearer.ts'
import type { TestServer } from './server.ts'

/** An access token as the server's statements get it. */
export function bearerOf({ context }: TestServer, accessToken: string): BearerToken {
  const bearer = readBearer(context, `Bearer ${accessToken}`)
  if (bearer.kind === 'refused') throw new Error(bearer.explanation)
  return bearer
}
