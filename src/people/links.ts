import type { Config } from '../config.ts'
import { secretKeys } from '../secrets/secret-keys.ts'
import { sealStored } from '../secrets/stored-secret.ts'
import { randomSecret, sha256 } from '../secrets/token-format.ts'
import { homeOf, type PeopleKind } from './kind.ts'

/** With the link, a person sets a password and a second factor. It works once. It is mailed if the server sends mails. */
export type SetupLink = { link: string; expiresAt: Date; isMailed: boolean }

/** The page for a link, below the first page of its people. */
export const setupPath = 'setup'

/** A link with 256 random bits. The database gets the digest, and for the mail the sealed link. */
export function newSetupLink(
  config: Config,
  kind: PeopleKind,
): { address: string; hash: Buffer; sealed: string | null } {
  const secret = randomSecret()
  const origin = kind === 'operator' ? config.admin.url : config.publicUrl
  const address = `${origin}${homeOf[kind]}/${setupPath}?${new URLSearchParams({ token: secret })}`
  const sealed = config.mail ? sealStored(secretKeys(config), address) : null
  return { address, hash: sha256(secret), sealed }
}
