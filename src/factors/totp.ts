import { Secret, TOTP } from 'otpauth'
import { type Origin, originValue } from '../audit/origin.ts'
import type { Context } from '../context.ts'
import { acceptedKeys } from '../secrets/derived-keys.ts'
import { openJson, sealJson } from '../secrets/seal.ts'
import { openStored, sealStored, UnreadableSecret } from '../secrets/stored-secret.ts'
import Type, { Compile } from '../typebox.ts'
import { findTotpSecret, storeTotpSecret, useTotpStep } from './totp.sql.ts'

/** What every authenticator app supports (RFC 6238): SHA-1, six digits, thirty seconds. */
const parameters = { algorithm: 'SHA1', digits: 6, period: 30 }

/** Steps before and after the current one whose codes are accepted, for clocks that differ. */
const window = 1

const secretBytes = 20
const setupLifetimeMs = 10 * 60 * 1000

const Setup = Type.Object({
  kind: Type.Literal('totp-setup'),
  userId: Type.String(),
  secret: Type.String(),
  /** Milliseconds since the epoch. */
  expiresAt: Type.Number(),
})
const setup = Compile(Setup)

/**
 * A secret that an app can scan or that the user types. The form carries it `sealed`. Nothing is stored before a code proves
 * that the app has it.
 */
export type TotpSetup = { secret: string; uri: string; sealed: string }

/**
 * @param of the user, as the authenticator app shows the account
 * @param again the sealed secret of the same page, if the user mistyped the code
 */
export function newTotpSetup(
  context: Context,
  of: { userId: string; email: string; issuer: string },
  again: string | undefined,
): TotpSetup {
  const { keys, now } = context
  const secret = (again && openSetup(context, of.userId, again)) ?? newSecret()
  const expiresAt = now().getTime() + setupLifetimeMs
  const sealed = sealJson({ kind: 'totp-setup', userId: of.userId, secret, expiresAt }, keys.current.seal)
  const totp = new TOTP({
    ...parameters,
    issuer: of.issuer,
    label: of.email,
    secret: Secret.fromBase32(secret),
  })
  return { secret, uri: totp.toString(), sealed }
}

function newSecret(): string {
  return new Secret({ size: secretBytes }).base32
}

/** Stores the secret if the code belongs to it. False: the code is wrong, or the page is too old. */
export async function storeTotp(
  context: Context,
  origin: Origin,
  userId: string,
  input: { sealed: string; code: string },
): Promise<boolean> {
  const proved = provedSetup(context, userId, input)
  if (!proved) return false
  const values = [userId, proved.atRest, proved.step, context.config.mail !== undefined, originValue(origin)]
  return (await context.database.maybe(storeTotpSecret, values)) !== undefined
}

/**
 * The secret of a setup, sealed as the database stores it, and the time step of the code that proves that the app has it.
 * Undefined: the code is wrong, or the page is too old.
 */
export function provedSetup(
  context: Context,
  userId: string,
  { sealed, code }: { sealed: string; code: string },
): { atRest: string; step: number } | undefined {
  const secret = openSetup(context, userId, sealed)
  const step = secret === undefined ? undefined : stepOf(context, secret, code)
  if (secret === undefined || step === undefined) return undefined
  return { atRest: sealStored(context.keys, secret), step }
}

/** The statements on the secrets of users, or on those of operators or developers. */
export type TotpStatements = { find: typeof findTotpSecret; use: typeof useTotpStep }

/** Uses a code up. False: it is wrong, or it or a later one was used before. */
export async function isTotpCode(
  context: Context,
  ownerId: string,
  code: string,
  { find, use }: TotpStatements = { find: findTotpSecret, use: useTotpStep },
): Promise<boolean> {
  const found = await context.database.maybe(find, [ownerId])
  if (!found) return false
  const secret = readSecret(context, found.sealed)
  const step = secret === undefined ? undefined : stepOf(context, secret, code)
  if (step === undefined) return false
  return (await context.database.maybe(use, [ownerId, step, found.sealed])) !== undefined
}

/** Undefined: it was sealed under a secret that leaked and was replaced. `latchkey doctor` counts such secrets. */
function readSecret({ keys }: Context, sealed: string): string | undefined {
  try {
    return openStored(keys, sealed)
  } catch (error) {
    if (error instanceof UnreadableSecret) return undefined
    throw error
  }
}

function openSetup({ keys, now }: Context, userId: string, sealed: string): string | undefined {
  const content = openJson(sealed, acceptedKeys(keys, 'seal'))
  if (!setup.Check(content) || content.userId !== userId || content.expiresAt <= now().getTime())
    return undefined
  return content.secret
}

/** The time step of a right code, by the server's clock: the database cannot open the secret. */
function stepOf({ now }: Context, secret: string, typed: string): number | undefined {
  const token = typed.replace(/\s/g, '')
  if (!/^\d{6}$/.test(token)) return undefined
  const timestamp = now().getTime()
  const key = Secret.fromBase32(secret)
  const delta = TOTP.validate({ ...parameters, token, secret: key, timestamp, window })
  return delta === null ? undefined : TOTP.counter({ period: parameters.period, timestamp }) + delta
}
