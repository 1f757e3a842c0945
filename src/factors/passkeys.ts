import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { type Origin, originValue } from '../audit/origin.ts'
import type { Context } from '../context.ts'
import { sha256 } from '../secrets/token-format.ts'
import { type ChallengePurpose, challengeLifetimeMs, isOwnChallenge, newChallenge } from './challenge.ts'
import { type Assertion, readAssertion, readAttestation } from './credential-json.ts'
import {
  findPasskey,
  findPasskeyOwner,
  insertPasskey,
  passkeysOfUser,
  type StoredPasskey,
  usePasskey,
} from './passkeys.sql.ts'

/** Loaded when the first passkey is used: it brings parsers for certificates, and loading them takes a quarter of a second. */
const webAuthn = () => import('@simplewebauthn/server')

/** The relying party of WebAuthn: a browser uses a passkey only on this host, and says from which origin. */
function relyingParty({ config }: Context): { rpID: string; origin: string } {
  return { rpID: new URL(config.authUrl).hostname, origin: config.authUrl }
}

/** Options for a passkey of this user. Without a user: any passkey for this service that the device knows. */
export async function loginOptions(
  context: Context,
  purpose: ChallengePurpose,
  userId?: string,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const passkeys = userId === undefined ? [] : await context.database.run(passkeysOfUser, [userId])
  const { generateAuthenticationOptions } = await webAuthn()
  return generateAuthenticationOptions({
    rpID: relyingParty(context).rpID,
    challenge: newChallenge(context, purpose),
    allowCredentials: passkeys.map(({ credential_id: id, transports }) => ({ id, transports })),
    userVerification: 'required',
    timeout: challengeLifetimeMs,
  })
}

/** Options for a new passkey of this user. */
export async function registrationOptions(
  context: Context,
  purpose: ChallengePurpose,
  { userId, rpName }: { userId: string; rpName: string },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const owner = await context.database.one(findPasskeyOwner, [userId])
  const passkeys = await context.database.run(passkeysOfUser, [userId])
  const { generateRegistrationOptions } = await webAuthn()
  return generateRegistrationOptions({
    rpName,
    rpID: relyingParty(context).rpID,
    userName: owner.email,
    userDisplayName: owner.name,
    userID: Uint8Array.from(handleBytes(owner.passkey_handle)),
    challenge: newChallenge(context, purpose),
    timeout: challengeLifetimeMs,
    attestationType: 'none', // no rule here depends on the model of the device
    excludeCredentials: passkeys.map(({ credential_id: id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

export type PasskeyProof =
  | { kind: 'proved'; userId: string; loginVersion: string; email: string }
  /** `reason` is for the log. */
  | { kind: 'refused'; reason: string }

/**
 * Checks the answer of an authenticator (WebAuthn section 7.2) and uses its challenge up.
 * @param userId only a passkey of this user counts. Undefined: the passkey is the only factor
 */
export async function provePasskey(
  context: Context,
  purpose: ChallengePurpose,
  json: string,
  userId?: string,
): Promise<PasskeyProof> {
  const assertion = readAssertion(json)
  if (!assertion) return refused('malformed')
  const passkey = await context.database.maybe(findPasskey, [assertion.response.id])
  if (!passkey) return refused('unknown_passkey')
  if (userId !== undefined && passkey.user_id !== userId) return refused('passkey_of_another_user')
  if (!isHandleOf(passkey, assertion)) return refused('handle_of_another_user')
  const verified = await attempt(() => verifyAssertion(context, purpose, assertion.response, passkey))
  if (verified.kind === 'refused') return verified
  const { newCounter, credentialBackedUp } = verified.value.authenticationInfo
  if (!verified.value.verified) return refused('signature')
  const used = await context.database.one(usePasskey, [
    passkey.credential_id,
    sha256(assertion.challenge),
    challengeEnd(context),
    newCounter,
    credentialBackedUp,
    userId === undefined,
  ])
  if (!used.is_first_answer) return refused('challenge_reused')
  if (used.user_id === null || used.login_version === null) return refused('counter_or_user')
  return { kind: 'proved', userId: used.user_id, loginVersion: used.login_version, email: passkey.email }
}

async function verifyAssertion(
  context: Context,
  purpose: ChallengePurpose,
  response: AuthenticationResponseJSON,
  passkey: StoredPasskey,
) {
  const { rpID, origin } = relyingParty(context)
  const { verifyAuthenticationResponse } = await webAuthn()
  return verifyAuthenticationResponse({
    response,
    expectedChallenge: (challenge) => isOwnChallenge(context, textOf(challenge), purpose),
    expectedOrigin: origin,
    expectedRPID: rpID,
    requireUserVerification: true,
    credential: {
      id: passkey.credential_id,
      publicKey: Uint8Array.from(Buffer.from(passkey.public_key, 'base64url')),
      counter: 0, // `use_passkey` compares the counter, in the locked row
    },
  })
}

export type PasskeyRegistration = { kind: 'stored' } | { kind: 'refused'; reason: string }

/** Checks the answer of an authenticator (WebAuthn section 7.1) and stores the passkey. */
export async function registerPasskey(
  context: Context,
  origin: Origin,
  purpose: ChallengePurpose,
  input: { userId: string; json: string; name: string },
): Promise<PasskeyRegistration> {
  const attestation = readAttestation(input.json)
  if (!attestation) return refused('malformed')
  const { response, challenge, transports } = attestation
  const verified = await attempt(() => verifyAttestation(context, purpose, response))
  if (verified.kind === 'refused') return verified
  const { registrationInfo: info } = verified.value
  if (!info) return refused('attestation')
  const stored = await context.database.maybe(insertPasskey, [
    input.userId,
    sha256(challenge),
    challengeEnd(context),
    info.credential.id,
    Buffer.from(info.credential.publicKey).toString('base64url'),
    info.credential.counter,
    transports,
    info.credentialDeviceType === 'multiDevice',
    info.credentialBackedUp,
    input.name,
    context.config.mail !== undefined,
    originValue(origin),
  ])
  return stored ? { kind: 'stored' } : refused('not_stored')
}

async function verifyAttestation(
  context: Context,
  purpose: ChallengePurpose,
  response: RegistrationResponseJSON,
) {
  const { rpID, origin } = relyingParty(context)
  const { verifyRegistrationResponse } = await webAuthn()
  return verifyRegistrationResponse({
    response,
    expectedChallenge: (challenge) => isOwnChallenge(context, textOf(challenge), purpose),
    expectedOrigin: origin,
    expectedRPID: rpID,
    requireUserVerification: true,
  })
}

/** A passkey that was found without a user name tells its user's handle, which must belong to the same user. */
function isHandleOf({ passkey_handle: handle }: StoredPasskey, { userHandle }: Assertion): boolean {
  return userHandle === undefined || userHandle === handleBytes(handle).toString('base64url')
}

function handleBytes(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex')
}

/** The sealed challenge: WebAuthn encodes its bytes again. */
function textOf(challenge: string): string {
  return Buffer.from(challenge, 'base64url').toString()
}

/** No challenge that the server accepts now is valid for longer. */
function challengeEnd({ now }: Context): Date {
  return new Date(now().getTime() + challengeLifetimeMs)
}

/** The library throws a plain Error for every answer that it refuses. Its message is for the log. */
async function attempt<T>(
  verify: () => Promise<T>,
): Promise<{ kind: 'verified'; value: T } | { kind: 'refused'; reason: string }> {
  try {
    return { kind: 'verified', value: await verify() }
  } catch (error) {
    return refused(error instanceof Error ? error.message.slice(0, 120) : 'unknown')
  }
}

function refused(reason: string): { kind: 'refused'; reason: string } {
  return { kind: 'refused', reason }
}
