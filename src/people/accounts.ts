import { type Origin, originValue } from '../audit/origin.ts'
import type { Config } from '../config.ts'
import type { Queries } from '../database/database.ts'
import { foldCase } from '../directory/case-folding.ts'
import { checkEmail, checkName } from '../directory/values.ts'
import { secretKeys } from '../secrets/secret-keys.ts'
import { sealStored } from '../secrets/stored-secret.ts'
import { randomSecret, sha256 } from '../secrets/token-format.ts'
import { quoted } from '../visible-text.ts'
import { homeOf, type PeopleKind } from './kind.ts'
import { resetCredentialsOf } from './links.sql.ts'

/** With the link, a person sets a password and a second factor. It works once. It is mailed if the server sends mails. */
export type SetupLink = { link: string; expiresAt: Date; isMailed: boolean }

/** Nothing was changed. The reasons are messages for the operator. */
export type NotChanged = { kind: 'refused'; reasons: string[] } | { kind: 'not_found'; reason: string }

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

/** For someone who has lost the password or the second factor: both end, and the accounts at providers, and all sessions. */
export async function resetCredentials(
  database: Queries,
  origin: Origin,
  { config, kind }: { config: Config; kind: PeopleKind },
  idOrEmail: string,
): Promise<({ kind: 'done'; id: string; sessionsEnded: number } & SetupLink) | NotChanged> {
  const link = newSetupLink(config, kind)
  const values = [foldCase(idOrEmail), link.hash, link.sealed, originValue(origin)]
  const row = await database.maybe(resetCredentialsOf[kind], values)
  if (!row) return noSuchPerson(kind, idOrEmail)
  return {
    kind: 'done',
    id: row.id,
    sessionsEnded: row.sessions_ended,
    ...shownLink(config, link.address, row.expires_at),
  }
}

/** A setup link as operators and administrators get it. */
export function shownLink(config: Config, link: string, expiresAt: Date): SetupLink {
  return { link, expiresAt, isMailed: config.mail !== undefined }
}

/** The outcome for an id or address that no account has. */
export function noSuchPerson(kind: PeopleKind, idOrEmail: string): NotChanged {
  return { kind: 'not_found', reason: `There is no ${kind} ${quoted(idOrEmail)}.` }
}

/** What is wrong with the address or the name of a person. */
export function faultsOf({
  email,
  name,
}: {
  email?: string | undefined
  name?: string | undefined
}): string[] {
  const emailFault = email === undefined ? null : checkEmail(email)
  const nameFault = name === undefined ? null : name.trim() === '' ? 'is empty' : checkName(name)
  return [
    emailFault === null ? [] : `email: ${emailFault}`,
    nameFault === null ? [] : `name: ${nameFault}`,
  ].flat()
}
