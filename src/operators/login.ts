import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Origin, originOf, originValue } from '../audit/origin.ts'
import type { Context } from '../context.ts'
import { foldCase } from '../directory/case-folding.ts'
import { countedProof, type ProofOutcome } from '../factors/prove.ts'
import { provedBrowserOf, rememberProof } from '../factors/proved-browser.ts'
import { isRecoveryCode } from '../factors/recovery-codes.ts'
import { isTotpCode } from '../factors/totp.ts'
import { browserOf, newProof, rememberBrowser } from '../login/known-browser.ts'
import { checkPassword, type LoginRefusal } from '../login/log-in.ts'
import Type, { type Static } from '../typebox.ts'
import { sealedCookie } from '../web/sealed-cookie.ts'
import {
  beginOperatorLogin,
  findOperatorTotp,
  findPendingOperator,
  recordFailedOperatorLogin,
  useOperatorRecoveryCode,
  useOperatorTotp,
} from './login.sql.ts'

/** Milliseconds that an operator has for the second factor. */
const pendingLifetimeMs = 10 * 60 * 1000

const Pending = Type.Object({
  kind: Type.Literal('pending-operator-login'),
  id: Type.String(),
  email: Type.String(),
  loginVersion: Type.String(),
  /** The page to which the login leads. */
  next: Type.String({ maxLength: 1500 }),
  expiresAt: Type.Number(),
})
const pendingCookie = sealedCookie('latchkey-operator-login', Pending)

/** An operator whose password was right, and whose second factor is missing. No session exists for the login. */
export type PendingOperator = Static<typeof Pending> & { name: string }

/**
 * Checks the password of an operator, and keeps the login for the second factor, in a cookie of this browser only.
 * @throws {DatabaseUnavailable}
 */
export async function beginLogin(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  { email: typed, password, next }: { email: string; password: string; next: string },
): Promise<{ kind: 'second_factor' } | LoginRefusal> {
  const { config, now } = context
  const attempt = { email: typed, password, address: request.ip, log: request.log }
  const outcome = await checkPassword(
    context,
    { ...attempt, browser: browserOf(request, config) },
    { begin: beginOperatorLogin, label: 'operator ' },
  )
  const email = foldCase(typed.trim())
  if (outcome.kind !== 'matches') {
    if (outcome.kind === 'refused') recordFailure(context, request, email, 'password')
    return outcome
  }
  const { id, loginVersion } = outcome
  const expiresAt = now().getTime() + pendingLifetimeMs
  pendingCookie.set(context, reply, {
    kind: 'pending-operator-login',
    ...{ id, email, loginVersion, next: next.slice(0, 1500), expiresAt },
  })
  return { kind: 'second_factor' }
}

/**
 * Not awaited: the time of the answer must not reveal whether there is such an operator.
 */
function recordFailure(context: Context, request: FastifyRequest, email: string, reason: string): void {
  const origin: Origin = originOf(request, 'console', { kind: 'operator', id: null })
  context.database
    .run(recordFailedOperatorLogin, [email, reason, originValue(origin)])
    .catch((error: unknown) => request.log.error(error))
}

/** The login of this browser that lacks the second factor. Undefined: there is none, or the credentials have changed since. */
export async function pendingOperator(
  context: Context,
  request: FastifyRequest,
): Promise<PendingOperator | undefined> {
  const pending = pendingCookie.open(context, request)
  const found =
    pending && (await context.database.maybe(findPendingOperator, [pending.id, pending.loginVersion]))
  return pending && found && { ...pending, name: found.name }
}

export function endPending(context: Context, reply: FastifyReply): void {
  pendingCookie.clear(context, reply)
}

const factorCookie = 'latchkey-operator-factor'

/** What the operator sends. */
export type Code = { method: 'totp' | 'recovery_code'; text: string }

/** Checks a code of an operator. A code that is right is used up. @throws {DatabaseUnavailable} */
export async function proveCode(
  context: Context,
  request: FastifyRequest,
  { id, email, loginVersion }: { id: string; email: string; loginVersion: string },
  { method, text }: Code,
): Promise<ProofOutcome> {
  const account = { userId: id, loginVersion }
  const claimant = {
    userId: id,
    address: request.ip,
    provedBrowser: provedBrowserOf(request, context, account, factorCookie),
  }
  const statements = { find: findOperatorTotp, use: useOperatorTotp }
  const check = async (): Promise<ProofOutcome> => {
    const isRight =
      method === 'totp'
        ? await isTotpCode(context, id, text, statements)
        : await isRecoveryCode(context, id, text, useOperatorRecoveryCode)
    return isRight ? { kind: 'proved' } : { kind: 'refused', reason: method }
  }
  const attempt = { label: 'operator ', guessable: method === 'totp' } as const
  const outcome = await countedProof(context, claimant, attempt, check)
  request.log.info({ event: 'operator_second_factor', outcome: outcome.kind, method, operator_id: id })
  if (outcome.kind === 'refused') recordFailure(context, request, foldCase(email), outcome.reason)
  return outcome
}

/** Remembers that the operator has logged in in this browser: failures elsewhere do not keep it from the next login. */
export function rememberOperator(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  { id, email, loginVersion }: { id: string; email: string; loginVersion: string },
): void {
  const { config, keys } = context
  const browser = browserOf(request, config)
  rememberBrowser(reply, config, browser, newProof(keys, browser, { email, loginVersion }))
  rememberProof(reply, context, { userId: id, loginVersion }, factorCookie)
}
