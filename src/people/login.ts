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
import { forEachKind, type PeopleKind, viaOf } from './kind.ts'
import { loginStatements } from './login.sql.ts'

/** Milliseconds for the second factor. */
const pendingLifetimeMs = 10 * 60 * 1000

/** A pending login of one kind of people never counts as one of the other. */
const pendingOf = (kind: PeopleKind) =>
  Type.Object({
    kind: Type.Literal(`pending-${kind}-login`),
    id: Type.String(),
    email: Type.String(),
    loginVersion: Type.String(),
    /** The page to which the login leads. */
    next: Type.String({ maxLength: 1500 }),
    expiresAt: Type.Number(),
  })
const pendingCookies = forEachKind((kind) => sealedCookie(`latchkey-${kind}-login`, pendingOf(kind)))

/** Someone whose password was right, and whose second factor is missing. No session exists for the login. */
export type PendingPerson = Static<ReturnType<typeof pendingOf>> & { name: string }

/**
 * Checks the password, and keeps the login for the second factor, in a cookie of this browser only.
 * @throws {DatabaseUnavailable}
 */
export async function beginLogin(
  context: Context,
  kind: PeopleKind,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { email: typed, password, next }: { email: string; password: string; next: string },
): Promise<{ kind: 'second_factor' } | LoginRefusal> {
  const { config, now } = context
  const attempt = { email: typed, password, address: request.ip, log: request.log }
  const outcome = await checkPassword(
    context,
    { ...attempt, browser: browserOf(request, config) },
    { begin: loginStatements[kind].begin, label: `${kind} ` },
  )
  const email = foldCase(typed.trim())
  if (outcome.kind !== 'matches') {
    if (outcome.kind === 'refused') recordFailure(context, kind, request, { email, reason: 'password' })
    return outcome
  }
  const { id, loginVersion } = outcome
  const expiresAt = now().getTime() + pendingLifetimeMs
  pendingCookies[kind].set(context, reply, {
    kind: `pending-${kind}-login`,
    ...{ id, email, loginVersion, next: next.slice(0, 1500), expiresAt },
  })
  return { kind: 'second_factor' }
}

/** Records a failed login. Not awaited: the time of the answer must not reveal whether there is such an account. */
function recordFailure(
  context: Context,
  kind: PeopleKind,
  request: FastifyRequest,
  { email, reason }: { email: string; reason: string },
): void {
  const origin: Origin = originOf(request, viaOf[kind], { kind, id: null })
  context.database
    .run(loginStatements[kind].recordFailed, [email, reason, originValue(origin)])
    .catch((error: unknown) => request.log.error(error))
}

/** The login of this browser that lacks the second factor. Undefined: there is none, or the credentials have changed since. */
export async function pendingPerson(
  context: Context,
  kind: PeopleKind,
  request: FastifyRequest,
): Promise<PendingPerson | undefined> {
  const pending = pendingCookies[kind].open(context, request)
  const values = pending && [pending.id, pending.loginVersion]
  const found = values && (await context.database.maybe(loginStatements[kind].findPending, values))
  return pending && found && { ...pending, name: found.name }
}

/** Forgets the login that lacks the second factor. */
export function endPending(context: Context, kind: PeopleKind, reply: FastifyReply): void {
  pendingCookies[kind].clear(context, reply)
}

/** What the person sends. */
export type Code = { method: 'totp' | 'recovery_code'; text: string }

type Account = { id: string; email: string; loginVersion: string }

/** Checks a code. A code that is right is used up. @throws {DatabaseUnavailable} */
export async function proveCode(
  context: Context,
  kind: PeopleKind,
  request: FastifyRequest,
  { id, email, loginVersion }: Account,
  { method, text }: Code,
): Promise<ProofOutcome> {
  const account = { userId: id, loginVersion }
  const claimant = {
    userId: id,
    address: request.ip,
    provedBrowser: provedBrowserOf(request, context, account, `latchkey-${kind}-factor`),
  }
  const { totp, useRecoveryCode } = loginStatements[kind]
  const check = async (): Promise<ProofOutcome> => {
    const isRight =
      method === 'totp'
        ? await isTotpCode(context, id, text, totp)
        : await isRecoveryCode(context, id, text, useRecoveryCode)
    return isRight ? { kind: 'proved' } : { kind: 'refused', reason: method }
  }
  const attempt = { label: `${kind} `, guessable: method === 'totp' } as const
  const outcome = await countedProof(context, claimant, attempt, check)
  request.log.info({ event: `${kind}_second_factor`, outcome: outcome.kind, method, [`${kind}_id`]: id })
  if (outcome.kind === 'refused')
    recordFailure(context, kind, request, { email: foldCase(email), reason: outcome.reason })
  return outcome
}

/** Remembers that the person has logged in in this browser: failures elsewhere do not keep them from the next login. */
export function rememberPerson(
  context: Context,
  kind: PeopleKind,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { id, email, loginVersion }: Account,
): void {
  const { config, keys } = context
  const browser = browserOf(request, config)
  rememberBrowser(reply, config, browser, newProof(keys, browser, { email, loginVersion }))
  rememberProof(reply, context, { userId: id, loginVersion }, `latchkey-${kind}-factor`)
}
