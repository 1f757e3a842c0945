import { createHmac } from 'node:crypto'
import type { Environment } from '../../src/environment.ts'
import { deriveKeys } from '../../src/secrets/derived-keys.ts'
import { tokenPrefix, tokenText, wordDigits, wordOf } from '../../src/secrets/token-format.ts'
import { testSecret } from './server.ts'

type Kind = 'at' | 'rt'
type Parts = {
  environment: Environment
  kind: Kind
  version: string
  keyId: string
  payload: string
  mac: string
}

/** An access or refresh token with these parts replaced, and the right checksum. Does not compute the MAC again. */
export function forged(text: string, change: (parts: Parts) => Partial<Parts>): string {
  const parts = partsOf(text)
  const { environment, kind, version, keyId, payload, mac } = { ...parts, ...change(parts) }
  return tokenText(environment, kind, version + keyId + payload + mac)
}

/** As `forged`, with the right MAC: only an attacker with the server's secret can make this text. */
export function signedAgain(text: string, change: (parts: Parts) => Partial<Parts>): string {
  return forged(text, (parts) => {
    const changed = { ...parts, ...change(parts) }
    const { environment, kind, version, keyId, payload } = changed
    const key = deriveKeys(testSecret, environment)[kind === 'at' ? 'access-token' : 'refresh-token']
    const signed = tokenPrefix(environment, kind) + version + keyId + payload
    const mac = createHmac('sha256', key).update(signed).digest()
    return { ...changed, mac: [0, 4, 8, 12].map((at) => wordDigits(mac.readUInt32BE(at))).join('') }
  })
}

/** The six characters at this place with `word` added to their value. */
export function addedTo(digits: string, place: number, word: number): string {
  const at = place * 6
  const value = ((wordOf(digits.slice(at, at + 6)) ?? 0) + word) % 62 ** 6
  const high = Math.floor(value / 62 ** 3)
  const low = value % 62 ** 3
  return digits.slice(0, at) + wordDigits(high).slice(3) + wordDigits(low).slice(3) + digits.slice(at + 6)
}

function partsOf(text: string): Parts {
  const [, mark, kind, version = '', keyId = '', payload = '', mac = ''] =
    /^lk_(test|live)_(at|rt)_(.)(.{3})(.{42})(.{24}).{6}$/.exec(text) ?? []
  if (kind !== 'at' && kind !== 'rt') throw new Error('not an access or refresh token')
  return { environment: mark === 'test' ? 'sandbox' : 'production', kind, version, keyId, payload, mac }
}
