import { type Authentication, phishingResistantAcr, recoveryCodeAmr, twoFactorAcr } from '../acr.ts'
import type { Context } from '../context.ts'
import { forgiveLogin } from '../login/login.sql.ts'
import { sourceOf } from '../process/source.ts'
import { hmac } from '../secrets/derived-keys.ts'
import { countFactorAttempt } from './attempts.sql.ts'
import type { ChallengePurpose } from './challenge.ts'
import { provePasskey } from './passkeys.ts'
import { isRecoveryCode } from './recovery-codes.ts'
import { isTotpCode } from './totp.ts'

/** A login that has proved its first part, and where it comes from. */
export type Claimant = {
  userId: string
  /** The IP address of the client. */
  address: string
  /** The id of the browser, if the user has proved a second factor in it before (`provedBrowserOf`). */
  provedBrowser: string | undefined
}

/** What the user sends. `passkey` is the JSON of the authenticator's answer. */
export type Evidence = { method: 'passkey' | 'totp' | 'recovery_code'; text: string }

export type ProofOutcome =
  | { kind: 'proved' }
  /** `reason` is for the log. */
  | { kind: 'refused'; reason: string }
  | { kind: 'throttled'; retryAfterSeconds: number }

/**
 * Checks a second factor of this user. A code that is right is used up.
 * @param purpose what the challenge of a passkey was made for
 * @throws {DatabaseUnavailable}
 */
export async function proveFactor(
  context: Context,
  claimant: Claimant,
  evidence: Evidence,
  purpose: ChallengePurpose,
): Promise<ProofOutcome> {
  const attempt = { label: '', guessable: evidence.method === 'totp' } as const
  const outcome = await countedProof(context, claimant, attempt, () =>
    check(context, claimant.userId, evidence, purpose),
  )
  if (outcome.kind !== 'proved') {
    const { userId, address } = claimant
    const failure = { method: evidence.method, reason: outcome.kind, address, userId } as const
    context.failedLogins.count(failure)
  }
  return outcome
}

/**
 * Counts an attempt, and then checks it.
 * @param attempt.label separates the counts of operators and developers from those of users
 * @param attempt.guessable false: counts against the source only
 * @throws {DatabaseUnavailable}
 */
export async function countedProof(
  { database, keys }: Context,
  { userId, address, provedBrowser }: Claimant,
  { label, guessable }: { label: '' | 'operator ' | 'developer '; guessable: boolean },
  check: () => Promise<ProofOutcome>,
): Promise<ProofOutcome> {
  const { throttle } = keys.current
  const sourceKey = hmac(throttle, `${label}source`, sourceOf(address))
  const codeKey =
    provedBrowser === undefined
      ? hmac(throttle, `${label}second factor`, userId)
      : hmac(throttle, `${label}second factor browser`, userId, provedBrowser)
  const values = [sourceKey, guessable ? codeKey : null, provedBrowser !== undefined]
  const { wait } = await database.one(countFactorAttempt, values)
  if (wait !== null) return { kind: 'throttled', retryAfterSeconds: wait }
  const outcome = await check()
  if (outcome.kind === 'proved') await database.run(forgiveLogin, [sourceKey, guessable ? codeKey : null])
  return outcome
}

async function check(
  context: Context,
  userId: string,
  { method, text }: Evidence,
  purpose: ChallengePurpose,
): Promise<ProofOutcome> {
  switch (method) {
    case 'passkey': {
      const proof = await provePasskey(context, purpose, text, userId)
      return proof.kind === 'proved' ? { kind: 'proved' } : proof
    }
    case 'totp':
      return (await isTotpCode(context, userId, text))
        ? { kind: 'proved' }
        : { kind: 'refused', reason: 'code' }
    case 'recovery_code':
      return (await isRecoveryCode(context, userId, text))
        ? { kind: 'proved' }
        : { kind: 'refused', reason: 'recovery_code' }
  }
}

/**
 * `amr` of a passkey (RFC 8176): possession of a key, presence of the user, and more than one factor, because the authenticator
 * verified the user. Not `hwk` or `swk`: nothing proves where the key is kept. Not `pin` or `fpt`: the authenticator does not
 * tell how it verified the user.
 */
export const passkeyAmr = ['pop', 'user', 'mfa']

/** What the login is after the proof of a second factor. */
export function withFactor(login: Authentication, method: Evidence['method']): Authentication {
  const added = { passkey: passkeyAmr, totp: ['otp', 'mfa'], recovery_code: [recoveryCodeAmr, 'mfa'] }[method]
  const acr = method === 'passkey' ? phishingResistantAcr : atLeastTwoFactor(login)
  return { acr, amr: [...new Set([...login.amr, ...added])] }
}

/** A login that is resistant to phishing stays so. A foreign provider's `acr` says nothing about our factor. */
function atLeastTwoFactor({ acr }: Authentication): string {
  return acr === phishingResistantAcr ? acr : twoFactorAcr
}
