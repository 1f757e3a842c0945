import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'

/** The options of a page, as `assets/passkeys.js` reads them. */
export type CeremonyOptions = {
  challenge: string
  rpId?: string
  rp?: { id?: string }
  user?: { id: string }
}

/** What an attacker, or a fault, makes of an answer. */
export type Deviation = {
  origin?: string
  rpId?: string
  challenge?: string
  counter?: number
  userHandle?: string
  credentialId?: string
  /** Without user verification. */
  unverified?: boolean
  /** Another key signs. */
  key?: KeyObject
}

type Passkey = { id: string; key: KeyObject; userHandle: string; counter: number }

/**
 * An authenticator and its browser, written from the specification (WebAuthn section 6) and not from the server's library. It
 * answers with what the test wants, not only with what is right.
 */
export class SoftAuthenticator {
  readonly passkeys: Passkey[] = []
  readonly #origin: string

  constructor(origin: string) {
    this.#origin = origin
  }

  /** Answers `create`: the JSON that the form sends. */
  create(options: CeremonyOptions, deviation: Deviation = {}): string {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const id = randomBytes(16)
    const passkey = {
      id: id.toString('base64url'),
      key: privateKey,
      userHandle: options.user?.id ?? '',
      counter: 0,
    }
    this.passkeys.push(passkey)
    const jwk = publicKey.export({ format: 'jwk' })
    const coseKey = Buffer.concat([
      Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 32]),
      Buffer.from(jwk.x ?? '', 'base64url'),
      Buffer.from([0x22, 0x58, 32]),
      Buffer.from(jwk.y ?? '', 'base64url'),
    ])
    const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, coseKey])
    const authData = Buffer.concat([this.#authData(options.rp?.id ?? '', 0x40, 0, deviation), attested])
    // {"fmt": "none", "attStmt": {}, "authData": bytes}
    const attestationObject = Buffer.concat([
      Buffer.from([0xa3, 0x63]),
      Buffer.from('fmt'),
      Buffer.from([0x64]),
      Buffer.from('none'),
      Buffer.from([0x67]),
      Buffer.from('attStmt'),
      Buffer.from([0xa0, 0x68]),
      Buffer.from('authData'),
      Buffer.from([0x58, authData.length]),
      authData,
    ])
    return credential(passkey.id, {
      clientDataJSON: this.#clientData('webauthn.create', options, deviation).toString('base64url'),
      attestationObject: attestationObject.toString('base64url'),
      transports: ['internal'],
    })
  }

  /** Answers `get` with the newest passkey. */
  get(options: CeremonyOptions, deviation: Deviation = {}): string {
    const passkey = this.passkeys.at(-1)
    if (!passkey) throw new Error('this authenticator has no passkey')
    passkey.counter += 1
    const clientData = this.#clientData('webauthn.get', options, deviation)
    const authData = this.#authData(options.rpId ?? '', 0, deviation.counter ?? passkey.counter, deviation)
    const signed = Buffer.concat([authData, createHash('sha256').update(clientData).digest()])
    return credential(deviation.credentialId ?? passkey.id, {
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: createSign('sha256')
        .update(signed)
        .sign(deviation.key ?? passkey.key, 'base64url'),
      userHandle: deviation.userHandle ?? passkey.userHandle,
    })
  }

  #clientData(type: string, options: CeremonyOptions, deviation: Deviation): Buffer {
    const challenge = deviation.challenge ?? options.challenge
    return Buffer.from(
      JSON.stringify({ type, challenge, origin: deviation.origin ?? this.#origin, crossOrigin: false }),
    )
  }

  #authData(rpId: string, flags: number, counter: number, deviation: Deviation): Buffer {
    const hash = createHash('sha256')
      .update(deviation.rpId ?? rpId)
      .digest()
    const head = Buffer.alloc(5)
    head.writeUInt8(flags | 0x01 | (deviation.unverified ? 0 : 0x04))
    head.writeUInt32BE(counter, 1)
    return Buffer.concat([hash, head])
  }
}

function credential(id: string, response: object): string {
  return JSON.stringify({ id, rawId: id, type: 'public-key', response, clientExtensionResults: {} })
}
