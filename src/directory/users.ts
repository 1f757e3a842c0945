import { type Origin, originValue } from '../audit/origin.ts'
import type { Database } from '../database/database.ts'
import { quoted } from '../visible-text.ts'
import { foldCase } from './case-folding.ts'
import { newPasswordFaults, type PasswordFault } from './new-password.ts'
import { hashPassword, maxPasswordBytes } from './passwords.ts'
import {
  findUserFacts,
  insertUser,
  type UserFacts,
  updatePassword,
  updateToActive,
  updateToDisabled,
} from './users.sql.ts'
import { type Check, checkEmail, checkId, checkName } from './values.ts'

export type NewUser = { id: string; firm: string; email: string; name: string; role: string }

export type UserOutcome =
  | { kind: 'done'; id: string; sessionsEnded: number }
  /** Nothing was changed. The reasons are messages for the operator. `isTaken`: another user has the id or the address. */
  | { kind: 'refused'; reasons: string[]; isTaken?: true }

/** Stores an active user. The user can log in after a password is set. */
export async function createUser(database: Database, origin: Origin, user: NewUser): Promise<UserOutcome> {
  const faults = [
    faultOf('id', user.id, checkId),
    faultOf('email', user.email, checkEmail),
    faultOf('name', user.name, checkName),
  ].filter((fault) => fault !== null)
  if (faults.length > 0) return { kind: 'refused', reasons: faults }

  const found = await database.one(insertUser, [
    user.id,
    user.firm,
    user.email,
    foldCase(user.email),
    user.name,
    user.role,
    originValue(origin),
  ])
  if (found.created) return { kind: 'done', id: user.id, sessionsEnded: 0 }
  const reasons = [
    found.firm_exists ? [] : `there is no firm ${quoted(user.firm)}`,
    found.role_exists ? [] : `there is no role ${quoted(user.role)}`,
    found.id_taken ? `the user ${quoted(user.id)} already exists` : [],
    found.email_taken ? `${quoted(user.email)} is another user's address` : [],
  ].flat()
  const isTaken = reasons.length === 0 || found.id_taken || found.email_taken
  return {
    kind: 'refused',
    reasons: reasons.length > 0 ? reasons : ['another session has just taken the id or the address'],
    ...(isTaken && { isTaken }),
  }
}

const passwordReasons: Record<PasswordFault['kind'], string> = {
  too_short: 'the password is too short',
  too_long: `the password is longer than ${maxPasswordBytes} bytes`,
  more_than_one_line: 'the password has more than one line',
  contains_personal:
    'the password contains the name or address of the user or the name of the service; leave them out',
  common: 'the password is one that many people use; choose another one',
  pattern: 'the password repeats itself or follows a pattern, and is easy to guess; choose another one',
  few_words: 'the password consists of few common words, and is easy to guess; add unrelated words',
}

function reasonOf(fault: PasswordFault): string {
  return fault.kind === 'too_short'
    ? `the password is shorter than ${fault.characters} characters`
    : passwordReasons[fault.kind]
}

/**
 * Also ends the user's sessions: an attacker who is logged in may be the reason for the change.
 * @param how `service` is the name that users know the service by, `sendsMail` whether the user gets a mail about it
 */
export async function setPassword(
  database: Database,
  origin: Origin,
  idOrEmail: string,
  password: string,
  { service, sendsMail = false }: { service: string; sendsMail?: boolean },
): Promise<UserOutcome> {
  const user = await findUser(database, idOrEmail)
  if (!user) return changed(idOrEmail, undefined)
  const faults = await newPasswordFaults(password, {
    ...user,
    service,
    hasSecondFactor: user.passkeys > 0 || user.has_totp,
  })
  if (faults.length > 0) return { kind: 'refused', reasons: faults.map(reasonOf) }
  const hash = await hashPassword(password)
  return changed(
    idOrEmail,
    await database.maybe(updatePassword, [user.id, hash, sendsMail, originValue(origin)]),
  )
}

/**
 * From the next request on, the user cannot log in, and partners cannot read for this user: every call checks that the
 * user is active. This lasts until `enableUser`; imports do not change it.
 */
export async function disableUser(
  database: Database,
  origin: Origin,
  idOrEmail: string,
): Promise<UserOutcome> {
  return changed(
    idOrEmail,
    await database.maybe(updateToDisabled, [foldedUnlessId(idOrEmail), originValue(origin)]),
  )
}

/** Makes the user active. The next import may disable the user again. */
export async function enableUser(
  database: Database,
  origin: Origin,
  idOrEmail: string,
): Promise<UserOutcome> {
  const row = await database.maybe(updateToActive, [foldedUnlessId(idOrEmail), originValue(origin)])
  return changed(idOrEmail, row && { ...row, sessions_ended: 0 })
}

export function findUser(database: Database, idOrEmail: string): Promise<UserFacts | undefined> {
  return database.maybe(findUserFacts, [foldedUnlessId(idOrEmail)])
}

function changed(idOrEmail: string, row: { id: string; sessions_ended: number } | undefined): UserOutcome {
  return row
    ? { kind: 'done', id: row.id, sessionsEnded: row.sessions_ended }
    : { kind: 'refused', reasons: [`there is no user ${quoted(idOrEmail)}`] }
}

/** Ids are case-sensitive, addresses are not. */
export function foldedUnlessId(idOrEmail: string): string {
  return idOrEmail.includes('@') ? foldCase(idOrEmail) : idOrEmail
}

function faultOf(what: string, value: string, check: Check): string | null {
  const fault = value === '' ? 'is empty' : check(value)
  return fault === null ? null : `${what}: ${fault}`
}
