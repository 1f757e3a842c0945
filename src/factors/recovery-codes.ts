import { randomBytes } from 'node:crypto'
import { type Origin, originValue } from '../audit/origin.ts'
import type { Context } from '../context.ts'
import { sha256 } from '../secrets/token-format.ts'
import { replaceRecoveryCodes, useRecoveryCode } from './recovery-codes.sql.ts'

const codeCount = 10

/** Crockford's base32: no letter looks like a digit. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const codeLength = 16

/**
 * Gives the user ten new recovery codes; the old ones end. This is the only copy: the database has their hashes. A code has
 * 80 random bits and needs no slow hash.
 */
export async function newRecoveryCodes(
  { database }: Pick<Context, 'database'>,
  origin: Origin,
  userId: string,
): Promise<string[]> {
  const { codes, hashes } = freshCodes(userId)
  await database.one(replaceRecoveryCodes, [userId, hashes, originValue(origin)])
  return codes
}

/** Ten new codes and their hashes. */
export function freshCodes(ownerId: string): { codes: string[]; hashes: Buffer[] } {
  const codes = Array.from({ length: codeCount }, randomCode)
  return { codes, hashes: codes.map((code) => hashOf(ownerId, code)) }
}

/**
 * Uses up a code.
 * @param use the statement on the codes of users, or on those of operators
 */
export async function isRecoveryCode(
  { database }: Pick<Context, 'database'>,
  ownerId: string,
  typed: string,
  use = useRecoveryCode,
): Promise<boolean> {
  const code = canonical(typed)
  if (code === undefined) return false
  return (await database.maybe(use, [ownerId, hashOf(ownerId, code)])) !== undefined
}

/** With a hyphen after each four characters. */
export function readable(code: string): string {
  return code.replace(/.{4}(?!$)/g, '$&-')
}

/** The id makes the hashes of two owners different, as a salt does. */
function hashOf(ownerId: string, code: string): Buffer {
  return sha256(`${ownerId} ${code}`)
}

/** 32 characters in the alphabet: the last five bits of each byte are as random as the byte. */
function randomCode(): string {
  return Array.from(randomBytes(codeLength), (byte) => alphabet[byte % 32]).join('')
}

/** Crockford reads I and L as 1, and O as 0. Undefined: the text cannot be a code. */
function canonical(typed: string): string | undefined {
  if (typed.length > 64) return undefined
  const code = typed.toUpperCase().replace(/[\s-]/g, '').replace(/[IL]/g, '1').replaceAll('O', '0')
  return code.length === codeLength ? code : undefined
}
