import { type Origin, originValue } from '../audit/origin.ts'
import type { Config } from '../config.ts'
import type { Database } from '../database/database.ts'
import { foldCase } from '../directory/case-folding.ts'
import { secretKeys } from '../secrets/secret-keys.ts'
import { sealStored } from '../secrets/stored-secret.ts'
import { quoted } from '../visible-text.ts'
import { inviteUser } from './recovery.sql.ts'
import { newLink } from './recovery.ts'

export type InviteOutcome =
  | { kind: 'mailed'; id: string; email: string; expiresAt: Date }
  /** The server sends no mails: the operator hands the link over. */
  | { kind: 'link'; id: string; link: string; expiresAt: Date }
  /** The reason is a message for the operator. */
  | { kind: 'refused'; reason: string }

/** Makes a link with which the user can set a password, and mails it. It replaces the user's older link. */
export async function invite(
  database: Database,
  origin: Origin,
  config: Config,
  idOrEmail: string,
): Promise<InviteOutcome> {
  const link = newLink(config.publicUrl)
  const sealed = config.mail ? sealStored(secretKeys(config), link.address) : null
  const user = idOrEmail.includes('@') ? foldCase(idOrEmail) : idOrEmail
  const found = await database.maybe(inviteUser, [user, link.hash, sealed, originValue(origin)])
  if (!found) return { kind: 'refused', reason: `there is no user ${quoted(idOrEmail)}` }
  const { id, email, status, local_passwords: hasPasswords, expires_at: expiresAt } = found
  if (expiresAt !== null) {
    return config.mail
      ? { kind: 'mailed', id, email, expiresAt }
      : { kind: 'link', id, link: link.address, expiresAt }
  }
  if (!hasPasswords) {
    return {
      kind: 'refused',
      reason: `${id} belongs to a firm without passwords and logs in at its provider`,
    }
  }
  return { kind: 'refused', reason: `${id} is ${status}; enable the user first` }
}
