import type { Context } from '../context.ts'
import { foldCase } from '../directory/case-folding.ts'
import { type Browser, proofKey, tagged } from '../login/known-browser.ts'
import { findBrowserProof, forgiveLogin } from '../login/login.sql.ts'
import { type Login, phishingResistantAcr } from '../login/login.ts'
import { sourceOf } from '../process/source.ts'
import { hmac } from '../secrets/derived-keys.ts'
import { countFactorAttempt } from './attempts.sql.ts'
import { type PasskeyProof, provePasskey } from './passkeys.ts'
import type { BrowserMemory } from './pending-login.ts'
import { passkeyAmr } from './prove.ts'

/** The challenge of the login page, where the user is not known yet. */
export const loginPurpose = { use: 'login', owner: '' } as const

export type PasskeyLoginOutcome =
  | { kind: 'welcome'; login: Login; memory: BrowserMemory | undefined }
  | Extract<PasskeyProof, { kind: 'refused' }>
  | { kind: 'throttled'; retryAfterSeconds: number }

/**
 * Logs in with a passkey alone. It is resistant to phishing, and two factors: the authenticator verified its user.
 * @param json the answer of the authenticator
 * @throws {DatabaseUnavailable}
 */
export async function logInWithPasskey(
  context: Context,
  { json, address, browser }: { json: string; address: string; browser: Browser },
): Promise<PasskeyLoginOutcome> {
  const { database, keys } = context
  const sourceKey = hmac(keys.current.throttle, 'source', sourceOf(address))
  const { wait } = await database.one(countFactorAttempt, [sourceKey, null, false])
  if (wait !== null) return { kind: 'throttled', retryAfterSeconds: wait }
  const proof = await provePasskey(context, loginPurpose, json)
  if (proof.kind === 'refused') return proof
  await database.run(forgiveLogin, [sourceKey, null])
  const { userId, loginVersion, email } = proof
  const login = { userId, loginVersion, acr: phishingResistantAcr, amr: passkeyAmr }
  return { kind: 'welcome', login, memory: await memoryOf(context, login, browser, foldCase(email)) }
}

/** Undefined: the credentials changed meanwhile, and the session will not be live. */
async function memoryOf(
  { database, keys }: Context,
  { userId, loginVersion }: Login,
  browser: Browser,
  email: string,
): Promise<BrowserMemory | undefined> {
  const proofKeys = keys.accepted.map((accepted) => proofKey(accepted, browser, email))
  const found = await database.maybe(findBrowserProof, [userId, loginVersion, proofKeys, browser.proofs])
  return found && { browser, proof: tagged(keys, browser, email, found.proof), isKnown: found.known_browser }
}
