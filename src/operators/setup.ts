import { type Origin, originValue } from '../audit/origin.ts'
import type { Context } from '../context.ts'
import { newPasswordFaults, type PasswordFault, type PasswordOwner } from '../directory/new-password.ts'
import { hashPassword } from '../directory/passwords.ts'
import { freshCodes } from '../factors/recovery-codes.ts'
import { newTotpSetup, provedSetup, type TotpSetup } from '../factors/totp.ts'
import { sha256 } from '../secrets/token-format.ts'
import type { OperatorLogin } from './sessions.ts'
import { changeOperatorFactor, changeOperatorPassword, findSetupLink, setUpOperator } from './setup.sql.ts'

export type SetupOwner = { id: string; name: string; email: string }

/** The operator for whom a link works. @throws {DatabaseUnavailable} */
export async function ownerOfSetupLink(context: Context, secret: string): Promise<SetupOwner | undefined> {
  return context.database.maybe(findSetupLink, [sha256(secret)])
}

/** For whom the password is. It must be as strong as one without a second factor: an operator can do more than a user. */
export function operatorPasswordOwner({ config }: Context, { name, email }: SetupOwner): PasswordOwner {
  return { name, email, service: config.brand.name, hasSecondFactor: false }
}

/** @param again the sealed secret of the same page, if the operator mistyped the code */
export function newOperatorTotp(context: Context, owner: SetupOwner, again?: string): TotpSetup {
  const issuer = `${context.config.brand.name} console`
  return newTotpSetup(context, { userId: totpOwner(owner.id), email: owner.email, issuer }, again)
}

/** Not the id alone: a user may have the same. */
function totpOwner(operatorId: string): string {
  return `operator ${operatorId}`
}

export type SetupOutcome =
  | { kind: 'set'; login: OperatorLogin; codes: string[] }
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
  origin: Origin,
  input: { secret: string; owner: SetupOwner; password: string; sealed: string; code: string },
): Promise<SetupOutcome> {
  const { database, passwordHashLimiter } = context
  const { owner, password } = input
  const [fault] = await newPasswordFaults(password, operatorPasswordOwner(context, owner))
  if (fault) return { kind: 'unfit', fault }
  const proved = provedSetup(context, totpOwner(owner.id), input)
  if (!proved) return { kind: 'wrong_code' }
  const { codes, hashes } = freshCodes(owner.id)
  const hash = await passwordHashLimiter.hash(() => hashPassword(password))
  const values = [sha256(input.secret), hash, proved.atRest, proved.step, hashes, originValue(origin)]
  const set = await database.maybe(setUpOperator, values)
  if (!set) return { kind: 'dead' }
  return { kind: 'set', login: { id: set.id, name: set.name, loginVersion: set.login_version }, codes }
}

/** An operator who is logged in, as the changes of credentials need it. */
type Owner = SetupOwner & { loginVersion: string }

/** Changes the password, and ends all sessions. @returns the new `login_version`; undefined: the credentials have changed */
export async function changePassword(
  context: Context,
  origin: Origin,
  owner: Owner,
  password: string,
): Promise<
  { kind: 'set'; login: OperatorLogin } | { kind: 'unfit'; fault: PasswordFault } | { kind: 'dead' }
> {
  const [fault] = await newPasswordFaults(password, operatorPasswordOwner(context, owner))
  if (fault) return { kind: 'unfit', fault }
  const hash = await context.passwordHashLimiter.hash(() => hashPassword(password))
  const values = [owner.id, owner.loginVersion, hash, originValue(origin)]
  const changed = await context.database.maybe(changeOperatorPassword, values)
  if (!changed) return { kind: 'dead' }
  return { kind: 'set', login: { id: owner.id, name: owner.name, loginVersion: changed.login_version } }
}

/** Replaces the authenticator app and the recovery codes, and ends all sessions. */
export async function changeFactor(
  context: Context,
  origin: Origin,
  owner: Owner,
  input: { sealed: string; code: string },
): Promise<
  { kind: 'set'; login: OperatorLogin; codes: string[] } | { kind: 'wrong_code' } | { kind: 'dead' }
> {
  const proved = provedSetup(context, totpOwner(owner.id), input)
  if (!proved) return { kind: 'wrong_code' }
  const { codes, hashes } = freshCodes(owner.id)
  const values = [owner.id, owner.loginVersion, proved.atRest, proved.step, hashes, originValue(origin)]
  const changed = await context.database.maybe(changeOperatorFactor, values)
  if (!changed) return { kind: 'dead' }
  return {
    kind: 'set',
    login: { id: owner.id, name: owner.name, loginVersion: changed.login_version },
    codes,
  }
}
