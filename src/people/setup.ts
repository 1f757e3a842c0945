import { type Origin, originValue } from '../audit/origin.ts'
import type { Context } from '../context.ts'
import { newPasswordFaults, type PasswordFault, type PasswordOwner } from '../directory/new-password.ts'
import { hashPassword } from '../directory/passwords.ts'
import { freshCodes } from '../factors/recovery-codes.ts'
import { newTotpSetup, provedSetup, type TotpSetup } from '../factors/totp.ts'
import { sha256 } from '../secrets/token-format.ts'
import type { PeopleKind } from './kind.ts'
import type { PersonLogin } from './sessions.ts'
import { setupStatements } from './setup.sql.ts'

export type SetupOwner = { id: string; name: string; email: string }

/** The person for whom a link works. @throws {DatabaseUnavailable} */
export async function ownerOfSetupLink(
  { database }: Context,
  kind: PeopleKind,
  secret: string,
): Promise<SetupOwner | undefined> {
  return database.maybe(setupStatements[kind].findLink, [sha256(secret)])
}

/** For whom the password is. It must be as strong as one without a second factor: such people can do more than a user. */
export function personPasswordOwner({ config }: Context, { name, email }: SetupOwner): PasswordOwner {
  return { name, email, service: config.brand.name, hasSecondFactor: false }
}

/** What authenticator apps show after the name of the brand. */
const issuers = { operator: 'console', developer: 'developers' }

/** @param again the sealed secret of the same page, if the person mistyped the code */
export function newPersonTotp(
  context: Context,
  kind: PeopleKind,
  { id, email }: SetupOwner,
  again?: string,
): TotpSetup {
  const issuer = `${context.config.brand.name} ${issuers[kind]}`
  return newTotpSetup(context, { userId: totpOwner(kind, id), email, issuer }, again)
}

/** Not the id alone: a user may have the same. */
function totpOwner(kind: PeopleKind, id: string): string {
  return `${kind} ${id}`
}

export type SetupOutcome =
  | { kind: 'set'; login: PersonLogin; codes: string[] }
  | { kind: 'unfit'; fault: PasswordFault }
  | { kind: 'wrong_code' }
  /** The link was used, has expired, or was replaced. */
  | { kind: 'dead' }

/**
 * Sets up an account with a link: the password and the second factor, both or neither.
 * @throws {DatabaseUnavailable}
 */
export async function setUpAccount(
  context: Context,
  kind: PeopleKind,
  origin: Origin,
  input: { secret: string; owner: SetupOwner; password: string; sealed: string; code: string },
): Promise<SetupOutcome> {
  const { database, passwordHashLimiter } = context
  const { owner, password } = input
  const [fault] = await newPasswordFaults(password, personPasswordOwner(context, owner))
  if (fault) return { kind: 'unfit', fault }
  const proved = provedSetup(context, totpOwner(kind, owner.id), input)
  if (!proved) return { kind: 'wrong_code' }
  const { codes, hashes } = freshCodes(owner.id)
  const hash = await passwordHashLimiter.hash(() => hashPassword(password))
  const values = [sha256(input.secret), hash, proved.atRest, proved.step, hashes, originValue(origin)]
  const set = await database.maybe(setupStatements[kind].setUp, values)
  if (!set) return { kind: 'dead' }
  return { kind: 'set', login: { id: set.id, name: set.name, loginVersion: set.login_version }, codes }
}

/** A person who is logged in, as the changes of credentials need it. */
type Owner = SetupOwner & { loginVersion: string }

/** The credentials have changed since the session was checked. Nothing was changed. */
type CredentialsChanged = { kind: 'conflict' }

/** Changes the password, and ends all sessions. `login` opens a new one. */
export async function changePassword(
  context: Context,
  kind: PeopleKind,
  origin: Origin,
  owner: Owner,
  password: string,
): Promise<
  { kind: 'set'; login: PersonLogin } | { kind: 'unfit'; fault: PasswordFault } | CredentialsChanged
> {
  const [fault] = await newPasswordFaults(password, personPasswordOwner(context, owner))
  if (fault) return { kind: 'unfit', fault }
  const hash = await context.passwordHashLimiter.hash(() => hashPassword(password))
  const values = [owner.id, owner.loginVersion, hash, originValue(origin)]
  const changed = await context.database.maybe(setupStatements[kind].changePassword, values)
  if (!changed) return { kind: 'conflict' }
  return { kind: 'set', login: { id: owner.id, name: owner.name, loginVersion: changed.login_version } }
}

/** Replaces the authenticator app and the recovery codes, and ends all sessions. `login` opens a new one. */
export async function changeFactor(
  context: Context,
  kind: PeopleKind,
  origin: Origin,
  owner: Owner,
  input: { sealed: string; code: string },
): Promise<
  { kind: 'set'; login: PersonLogin; codes: string[] } | { kind: 'wrong_code' } | CredentialsChanged
> {
  const proved = provedSetup(context, totpOwner(kind, owner.id), input)
  if (!proved) return { kind: 'wrong_code' }
  const { codes, hashes } = freshCodes(owner.id)
  const values = [owner.id, owner.loginVersion, proved.atRest, proved.step, hashes, originValue(origin)]
  const changed = await context.database.maybe(setupStatements[kind].changeFactor, values)
  if (!changed) return { kind: 'conflict' }
  return {
    kind: 'set',
    login: { id: owner.id, name: owner.name, loginVersion: changed.login_version },
    codes,
  }
}
