import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import Type, { Compile } from '../typebox.ts'

const Base64url = Type.String({ pattern: '^[\\w-]+$', maxLength: 16_384 })
const credential = { id: Base64url, rawId: Base64url, type: Type.Literal('public-key') }

const AssertionJson = Type.Object({
  ...credential,
  response: Type.Object({
    clientDataJSON: Base64url,
    authenticatorData: Base64url,
    signature: Base64url,
    userHandle: Type.Optional(Type.String({ maxLength: 128 })),
  }),
})
const assertionJson = Compile(AssertionJson)

const AttestationJson = Type.Object({
  ...credential,
  response: Type.Object({
    clientDataJSON: Base64url,
    attestationObject: Base64url,
    transports: Type.Optional(Type.Array(Type.String({ maxLength: 32 }), { maxItems: 16 })),
  }),
})
const attestationJson = Compile(AttestationJson)

const clientData = Compile(Type.Object({ challenge: Base64url }))

/**
 * The answer of an authenticator to `get`. `challenge` is as the authenticator signed it; the signature is not checked here.
 */
export type Assertion = {
  response: AuthenticationResponseJSON
  challenge: string
  userHandle: string | undefined
}

/** Undefined: the text is not such an answer. */
export function readAssertion(json: string): Assertion | undefined {
  const content = parse(json)
  if (!assertionJson.Check(content)) return undefined
  const { id, rawId, type, response } = content
  const challenge = challengeIn(response.clientDataJSON)
  if (challenge === undefined) return undefined
  const { clientDataJSON, authenticatorData, signature, userHandle } = response
  return {
    response: {
      id,
      rawId,
      type,
      response: { clientDataJSON, authenticatorData, signature },
      clientExtensionResults: {},
    },
    challenge,
    userHandle: userHandle || undefined,
  }
}

export type Attestation = { response: RegistrationResponseJSON; challenge: string; transports: string[] }

/** The answer of an authenticator to `create`. Undefined: the text is not such an answer. */
export function readAttestation(json: string): Attestation | undefined {
  const content = parse(json)
  if (!attestationJson.Check(content)) return undefined
  const { id, rawId, type, response } = content
  const challenge = challengeIn(response.clientDataJSON)
  if (challenge === undefined) return undefined
  const { clientDataJSON, attestationObject, transports = [] } = response
  return {
    response: {
      id,
      rawId,
      type,
      response: { clientDataJSON, attestationObject },
      clientExtensionResults: {},
    },
    challenge,
    transports,
  }
}

function challengeIn(encoded: string): string | undefined {
  const content = parse(Buffer.from(encoded, 'base64url').toString())
  return clientData.Check(content) ? content.challenge : undefined
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
