import type { Database } from '../database/database.ts'
import { foldCase } from './case-folding.ts'
import { hashPassword, maxPasswordBytes } from './passwords.ts'
import {
  findUserFacts,
  insertUser,
  type UserFacts,
  updatePassword,
  updateToActive,
  updateToDisabled,
} from './users.sql.ts'
import { type Check, checkEmail, checkId, checkName, quoted } from './values.ts'

export type NewUser = { id: string; firm: string; email: string; name: string; role: string }

export type UserOutcome =
  | { kind: 'done'; id: string; sessionsEnded: number }
  /** Nothing was changed. The reasons are messages for the operator. */
  | { kind: 'refused'; reasons: string[] }

/** Stores an active user. The user can log in after a password is set. */
export async function createUser(database: Database, user: NewUser): Promise<UserOutcome> {
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
  ])
  if (found.created) return { kind: 'done', id: user.id, sessionsEnded: 0 }
  const reasons = [
    found.firm_exists ? [] : `there is no firm ${quoted(user.firm)}`,
    found.role_exists ? [] : `there is no role ${quoted(user.role)}`,
    found.id_taken ? `the user ${quoted(user.id)} already exists` : [],
    found.email_taken ? `${quoted(user.email)} is another user's address` : [],
  ].flat()
  return {
    kind: 'refused',
    reasons: reasons.length > 0 ? reasons : ['another session has just taken the id or the address'],
  }
}

/** In characters. */
export const shortestPassword = 8

const passwordReasons = {
  too_short: `the password is shorter than ${shortestPassword} characters`,
  too_long: `the password is longer than ${maxPasswordBytes} bytes`,
  more_than_one_line: 'the password has more than one line',
}

/** Also ends the user's sessions: an attacker who is logged in may be the reason for the change. */
export async function setPassword(
  database: Database,
  idOrEmail: string,
  password: string,
): Promise<UserOutcome> {
  const faults = passwordFaults(password)
  if (faults.length > 0) return { kind: 'refused', reasons: faults.map((fault) => passwordReasons[fault]) }
  const hash = await hashPassword(password)
  return changed(idOrEmail, await database.maybe(updatePassword, [foldedUnlessId(idOrEmail), hash]))
}

/**
 * From the next request on, the user cannot log in, and partners cannot read for this user: every call checks that the
 * user is active. This lasts until `enableUser`; imports do not change it.
 */
export async function disableUser(database: Database, idOrEmail: string): Promise<UserOutcome> {
  return changed(idOrEmail, await database.maybe(updateToDisabled, [foldedUnlessId(idOrEmail)]))
}

/** Makes the user active. The next import may disable the user again. */
export async function enableUser(database: Database, idOrEmail: string): Promise<UserOutcome> {
  const row = await database.maybe(updateToActive, [foldedUnlessId(idOrEmail)])
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

export type PasswordFault = 'too_short' | 'too_long' | 'more_than_one_line'

/** The reasons why a text cannot be a password, the most important first. */
export function passwordFaults(password: string): PasswordFault[] {
  const faults: [PasswordFault, boolean][] = [
    ['too_short', [...password].length < shortestPassword],
    ['too_long', Buffer.byteLength(password) > maxPasswordBytes],
    ['more_than_one_line', /[\n\r\0]/.test(password)],
  ]
  return faults.flatMap(([fault, found]) => (found ? fault : []))
}
