import { createPublicKey, type KeyObject } from 'node:crypto'
import { calculateJwkThumbprint } from 'jose'
import Type, { Compile, type Static } from '../typebox.ts'

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

/** A partner's public key as it is stored: only these members (RFC 7517, RFC 7518 section 6). */
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

export type ReadKeys = { kind: 'read'; keys: PartnerJwk[]; thumbprints: Buffer[] }

export const noKeys: ReadKeys = { kind: 'read', keys: [], thumbprints: [] }

const submittedJwk = Compile(SubmittedJwk)
const maxKeys = 5
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth']

/** Reads a partner's keys from the JSON of a JWK Set or of one JWK. A key without a kid gets its thumbprint as kid. */
export async function readJwks(text: string): Promise<ReadKeys | { kind: 'refused'; faults: string[] }> {
  const found = keysIn(text)
  if (!found)
    return { kind: 'refused', faults: ['The JWKS is neither a JSON Web Key Set nor a JSON Web Key.'] }
  if (found.length < 1 || found.length > maxKeys) {
    return {
      kind: 'refused',
      faults: [`The JWKS must have 1 to ${maxKeys} keys, and it has ${found.length}.`],
    }
  }
  const read = await Promise.all(found.map(readKey))
  const keys = read.flatMap((key) => (typeof key === 'string' ? [] : [key]))
  const faults = read.flatMap((key, index) => (typeof key === 'string' ? [`Key ${index + 1} ${key}.`] : []))
  const kids = keys.map(({ kid }) => kid)
  const repeated = new Set(kids.filter((kid, index) => kids.indexOf(kid) !== index))
  for (const kid of repeated) faults.push(`More than one key has the kid ${JSON.stringify(kid)}.`)
  if (faults.length > 0) return { kind: 'refused', faults }
  return { kind: 'read', keys, thumbprints: await Promise.all(keys.map(thumbprintOf)) }
}

/** The keys as the database stores them. Null: there are none. */
export function jwksText({ keys }: ReadKeys): string | null {
  return keys.length > 0 ? JSON.stringify({ keys }) : null
}

/** @throws if the numbers are not a valid key */
export function publicKeyOf(jwk: SubmittedJwk): KeyObject {
  return createPublicKey({ key: { ...jwk }, format: 'jwk' })
}

/** RFC 7638 with SHA-256: 32 bytes. */
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

/** Returns the key, or why it is refused. */
async function readKey(found: unknown): Promise<PartnerJwk | string> {
  if (!isObject(found)) return 'is not a JSON Web Key'
  const fault = kindFault(found)
  if (fault) return fault
  const key = publicMembersOf(found)
  if (!submittedJwk.Check(key)) return 'lacks a member, or a member is invalid'
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
  if (kty === 'oct' || 'k' in others) return 'is symmetric. Register public keys'
  const secret = privateMembers.filter((name) => name in others)
  if (secret.length > 0) return `is private (${secret.join(', ')}). Register only the public key`
  if (kty !== 'RSA' && kty !== 'EC') return 'must be RSA or EC'
  if (kty === 'EC' && crv !== 'P-256') return 'must be on the curve P-256'
  const algorithms = kty === 'RSA' ? ['RS256', 'PS256'] : ['ES256']
  if (alg !== undefined && !algorithms.some((algorithm) => algorithm === alg))
    return `must have the alg ${algorithms.join(' or ')}, or none`
  if (use !== undefined && use !== 'sig') return 'is not for signatures. Its use must be sig'
  return undefined
}

function strengthFault(jwk: SubmittedJwk): string | undefined {
  try {
    const { modulusLength, publicExponent } = publicKeyOf(jwk).asymmetricKeyDetails ?? {}
    if (jwk.kty === 'EC') return undefined
    if (modulusLength === undefined || modulusLength < 2048) return 'is RSA with fewer than 2048 bits'
    // With the exponent 1 a signature equals its message, so an attacker could forge it.
    if (publicExponent === undefined || publicExponent < 65_537n) return 'is RSA with an exponent below 65537'
    return undefined
  } catch {
    return 'is not a valid key'
  }
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
