import { phishingResistantAcr } from '../acr.ts'
import type { Context } from '../context.ts'
import { forgiveLogin } from '../login/login.sql.ts'
import type { Login } from '../login/login.ts'
import { sourceOf } from '../process/source.ts'
import { hmac } from '../secrets/derived-keys.ts'
import { countFactorAttempt } from './attempts.sql.ts'
import { type PasskeyProof, provePasskey } from './passkeys.ts'
import { passkeyAmr } from './prove.ts'

/** The challenge of the login page, where the user is not known yet. */
export const loginPurpose = { use: 'login', owner: '' } as const

export type PasskeyLoginOutcome =
  | { kind: 'welcome'; login: Login }
  | Extract<PasskeyProof, { kind: 'refused' }>
  | { kind: 'throttled'; retryAfterSeconds: number }

/**
 * Logs in with a passkey alone. It is resistant to phishing, and two factors: the authenticator verified its user.
 * @param json the answer of the authenticator
 * @throws {DatabaseUnavailable}
 */
export async function logInWithPasskey(
  context: Context,
  { json, address }: { json: string; address: string },
): Promise<PasskeyLoginOutcome> {
  const { database, keys } = context
  const sourceKey = hmac(keys.current.throttle, 'source', sourceOf(address))
  const { wait } = await database.one(countFactorAttempt, [sourceKey, null, false])
  const failed = (reason: 'refused' | 'throttled') =>
    context.failedLogins.count({ method: 'passkey', reason, address })
  if (wait !== null) {
    failed('throttled')
    return { kind: 'throttled', retryAfterSeconds: wait }
  }
  const proof = await provePasskey(context, loginPurpose, json)
  if (proof.kind === 'refused') {
    failed('refused')
    return proof
  }
  await database.run(forgiveLogin, [sourceKey, null])
  const { userId, loginVersion, email } = proof
  const login = { userId, email, loginVersion, acr: phishingResistantAcr, amr: passkeyAmr }
  return { kind: 'welcome', login }
}
