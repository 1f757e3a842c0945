import type { Config } from '../config.ts'

/** The path of the API's own metadata: between the host and the path of what it describes (RFC 9728 section 3.1). */
export function resourceMetadataPath({ baseUrl }: Config): string {
  return `/.well-known/oauth-protected-resource${new URL(baseUrl).pathname}`
}
