import { createPublicKey, type KeyObject } from 'node:crypto'
import { calculateJwkThumbprint } from 'jose'
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'

const visible = Type.String({ pattern: '^[\\x21-\\x7e]{1,200}$' })
const base64url = Type.String({ pattern: '^[A-Za-z0-9_-]+$' })

const rsa = {
  kty: Type.Literal('RSA'),
  alg: Type.Optional(Type.Union([Type.Literal('RS256'), Type.Literal('PS256')])),
  n: base64url,
  e: base64url,
}
const elliptic = {
  kty: Type.Literal('EC'),
  alg: Type.Optional(Type.Literal('ES256')),
  crv: Type.Literal('P-256'),
  x: base64url,
  y: base64url,
}

/** A partner's public key as it is stored: these members and no others (RFC 7517, RFC 7518 section 6). */
export const PartnerJwk = Type.Union([
  Type.Object({ ...rsa, kid: visible }),
  Type.Object({ ...elliptic, kid: visible }),
])
export type PartnerJwk = Static<typeof PartnerJwk>

const SubmittedJwk = Type.Union([
  Type.Object({ ...rsa, kid: Type.Optional(visible) }),
  Type.Object({ ...elliptic, kid: Type.Optional(visible) }),
])
type SubmittedJwk = Static<typeof SubmittedJwk>

export type RegisteredKeys =
  | { kind: 'read'; keys: PartnerJwk[]; thumbprints: Buffer[] }
  | { kind: 'refused'; faults: string[] }

const submittedJwk = Compile(SubmittedJwk)
const most = 5
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth']

/** A partner's keys from JSON text, a JSON Web Key Set or a single key; a key without a kid gets its thumbprint as one. */
export async function readJwks(text: string): Promise<RegisteredKeys> {
  const found = keysIn(text)
  if (!found) return { kind: 'refused', faults: ['the JWKS is not a JSON Web Key Set, nor a JSON Web Key'] }
  if (found.length < 1 || found.length > most) {
    return { kind: 'refused', faults: [`the JWKS must hold 1 to ${most} keys, and it holds ${found.length}`] }
  }
  const read = await Promise.all(found.map(readKey))
  const keys = read.flatMap((key) => (typeof key === 'string' ? [] : [key]))
  const faults = read.flatMap((key, index) => (typeof key === 'string' ? [`key ${index + 1} ${key}`] : []))
  const kids = keys.map(({ kid }) => kid)
  const repeated = new Set(kids.filter((kid, index) => kids.indexOf(kid) !== index))
  for (const kid of repeated) faults.push(`the kid ${JSON.stringify(kid)} belongs to more than one key`)
  if (faults.length > 0) return { kind: 'refused', faults }
  return { kind: 'read', keys, thumbprints: await Promise.all(keys.map(thumbprintOf)) }
}

/** @throws when the numbers are no key */
export function publicKeyOf(jwk: SubmittedJwk): KeyObject {
  return createPublicKey({ key: { ...jwk }, format: 'jwk' })
}

/** RFC 7638 with SHA-256; 32 bytes. */
export async function thumbprintOf(jwk: SubmittedJwk): Promise<Buffer> {
  return Buffer.from(await calculateJwkThumbprint(jwk, 'sha256'), 'base64url')
}

type Members = Record<string, unknown>

function keysIn(text: string): unknown[] | undefined {
  try {
    const found: unknown = JSON.parse(text)
    if (!isObject(found)) return undefined
    return Array.isArray(found.keys) ? found.keys : [found]
  } catch {
    return undefined
  }
}

/** The key, or what is wrong with it. */
async function readKey(found: unknown): Promise<PartnerJwk | string> {
  if (!isObject(found)) return 'is not a JSON Web Key'
  const fault = kindFault(found)
  if (fault) return fault
  const key = publicMembersOf(found)
  if (!submittedJwk.Check(key)) return 'lacks a member, or has one that is not of its kind'
  const { kid = (await thumbprintOf(key)).toString('base64url') } = key
  return strengthFault(key) ?? { ...key, kid }
}

function publicMembersOf({ kty, kid, alg, crv, n, e, x, y }: Members): Members {
  return {
    kty,
    ...(kid !== undefined && { kid }),
    ...(alg !== undefined && { alg }),
    ...(kty === 'RSA' ? { n, e } : { crv, x, y }),
  }
}

function kindFault({ kty, crv, alg, use, ...others }: Members): string | undefined {
  if (kty === 'oct' || 'k' in others) return 'is symmetric; register public keys'
  const secret = privateMembers.filter((name) => name in others)
  if (secret.length > 0)
    return `is private (${secret.join(', ')}); register its public half, and nothing else`
  if (kty !== 'RSA' && kty !== 'EC') return 'must be RSA or EC'
  if (kty === 'EC' && crv !== 'P-256') return 'must be on the curve P-256'
  const algorithms = kty === 'RSA' ? ['RS256', 'PS256'] : ['ES256']
  if (alg !== undefined && !algorithms.some((one) => one === alg))
    return `may have as alg ${algorithms.join(' or ')}`
  if (use !== undefined && use !== 'sig') return 'is not for signatures; its use must be sig'
  return undefined
}

function strengthFault(jwk: SubmittedJwk): string | undefined {
  try {
    const { modulusLength, publicExponent } = publicKeyOf(jwk).asymmetricKeyDetails ?? {}
    if (jwk.kty === 'EC') return undefined
    if (modulusLength === undefined || modulusLength < 2048) return 'is RSA with fewer than 2048 bits'
    // With the exponent 1 a signature is its own message: anybody could make one.
    if (publicExponent === undefined || publicExponent < 65_537n) return 'is RSA with an exponent below 65537'
    return undefined
  } catch {
    return 'is not a valid key'
  }
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
