import { checkVisible, invisible, quoted } from '../visible-text.ts'
import { readPasswordHash } from './password-hashes.ts'
import { maxPasswordBytes } from './passwords.ts'

/** Checks a value that is not empty. Returns a message that continues after the column's name, or null for a valid value. */
export type Check = (text: string) => string | null

/** An id that the platform chose. */
export const checkId = matching(
  // Browsers and client libraries resolve the path segments `.` and `..`. Therefore no client could request such an id.
  /^(?!\.{1,2}$)[A-Za-z0-9._:-]{1,64}$/,
  'is not an id: an id has 1 to 64 characters of A-Z a-z 0-9 . _ : -, and is not . or ..',
)

export const checkEmail: Check = (text) =>
  text.length <= 254 && /^[^\s\p{Cc}@]+@[^\s\p{Cc}@]+$/u.test(text) && !invisible.test(text)
    ? null
    : `${quoted(text)} is not an email address`

/** Free text that a page may show. */
export const checkName: Check = (text) => atMost(500)(text) ?? checkVisible(text)

/**
 * The name of a household. Its JSON is part of an index, whose entries are limited to 2,704 bytes (migration 0009). Only
 * control characters, which need six bytes each in JSON, can make 500 characters exceed this limit.
 */
export const checkHouseholdName: Check = (text) =>
  Buffer.byteLength(JSON.stringify(text)) > 2400 ? 'contains too many control characters' : checkName(text)

/** A role's name is a key, but people choose it. Therefore it is free text. */
export const checkRole: Check = (text) => atMost(64)(text) ?? checkVisible(text)

export const checkSees = oneOf('firm', 'granted')

export const checkUserStatus = oneOf('active', 'disabled')

/** The platform chooses its own states. The API shows only accounts whose state is `active`. */
export const checkAccountStatus = matching(
  /^[a-z_]{1,32}$/,
  'is not a status: a status has 1 to 32 characters of a-z and _',
)

export const checkCurrency = matching(/^[A-Z]{3}$/, 'is not a currency: a currency has three letters A-Z')

export const checkDate: Check = (text) => {
  const date = /^\d{4}-\d\d-\d\d$/.test(text) && text >= '0001' ? new Date(text) : null
  const real = date && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
  return real ? null : `${quoted(text)} is not a date: write a date as YYYY-MM-DD`
}

/** Complete account numbers must never be stored or printed. */
export const checkMaskedNumber: Check = (text) =>
  (text.match(/\p{Nd}/gu) ?? []).length > 6
    ? 'looks like a complete account number; mask it and keep at most 6 digits'
    : checkName(text)

/** A password to be hashed, or, as in older exports, an argon2id hash. The message never repeats it. */
export const checkPassword: Check = (text) => {
  if (Buffer.byteLength(text) > maxPasswordBytes) return `is longer than ${maxPasswordBytes} bytes`
  if (/[\n\r]/.test(text)) return 'contains a line break'
  if (!looksHashed(text)) return null
  return text.startsWith('$argon2id$')
    ? checkPasswordHash(text)
    : 'is a hash; put it into the column "password_hash"'
}

/** A hash that the server can verify at a cost that it accepts. The message never repeats it. */
export const checkPasswordHash: Check = (text) => {
  const hash = readPasswordHash(text)
  return hash.kind === 'refused' ? hash.reason : null
}

/**
 * Recognizes hashes such as `$2b$…`, `$argon2i$…`, `{SSHA}…` and `pbkdf2_sha256$…`. If such a hash were accepted as a
 * password, anyone who knows the hash could log in with it.
 */
export function looksHashed(text: string): boolean {
  return /^(\$[\w-]+\$|\{[\w-]+\}|(argon2|bcrypt|md5|pbkdf2|scrypt|sha)[\w:]*\$)/i.test(text)
}

function matching(pattern: RegExp, otherwise: string): Check {
  return (text) => (pattern.test(text) ? null : `${quoted(text)} ${otherwise}`)
}

function oneOf(...words: string[]): Check {
  return (text) => (words.includes(text) ? null : `${quoted(text)} is not ${words.join(' or ')}`)
}

/** `most` is in code points. A text never has more code points than UTF-16 units, so a short text is not counted. */
function atMost(most: number): Check {
  return (text) =>
    text.length <= most || [...text].length <= most
      ? null
      : `${quoted(text)} is longer than ${most} characters`
}
