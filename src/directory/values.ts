import { isPasswordHash, maxPasswordBytes } from './passwords.ts'

/** What is wrong with a value that isn't empty, in words that follow the column's name; null when nothing is. */
export type Check = (text: string) => string | null

/** A value for a message: short, on one line, and without characters that change how the line reads. */
export function quoted(text: string): string {
  const short = text.length > 80 ? `${text.slice(0, 80)}…` : text
  return JSON.stringify(short).replace(new RegExp(invisible, 'gu'), codePointOf)
}

/** The platform's own identifiers. */
export const checkId = matching(
  // A browser or client library resolves the path segments `.` and `..` away: nobody could ever ask for them.
  /^(?!\.{1,2}$)[A-Za-z0-9._:-]{1,64}$/,
  'is not an id: those are 1 to 64 characters of A-Z a-z 0-9 . _ : -, and not . or ..',
)

export const checkEmail: Check = (text) =>
  text.length <= 254 && /^[^\s\p{Cc}@]+@[^\s\p{Cc}@]+$/u.test(text) && !invisible.test(text)
    ? null
    : `${quoted(text)} is not an email address`

/**
 * Format characters (Unicode category Cf), line and paragraph separators, and the letters that show nothing (Hangul
 * fillers). In a name on a page they reorder or hide the text around them: `Nice Bank` with U+2069 U+202E behind it
 * reverses the host name that follows. Control characters (Cc) do neither, and stay allowed in free text.
 */
const invisible = /[\p{Cf}\u2028\u2029\u115f\u1160\u3164\uffa0]/u

/**
 * The format characters that names need: ZERO WIDTH NON-JOINER and JOINER behind a letter or mark of a script in which
 * they change how letters join (after Unicode UAX 31, section 2.3), and JOINER between the parts of an emoji.
 */
const joiningScripts = ['Arab Syrc Mong Deva Beng Guru Gujr Orya', 'Taml Telu Knda Mlym Sinh Khmr Mymr Tibt']
  .flatMap((scripts) => scripts.split(' '))
  .map((script) => `\\p{Script=${script}}`)
const joinersInPlace = new RegExp(
  `(?<=[${joiningScripts.join('')}])[\u200c\u200d]` +
    '|(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\ufe0f])\u200d(?=\\p{Extended_Pictographic})',
  'gu',
)

/** What is wrong with a name that a page may show. */
export const checkVisible: Check = (text) => {
  const found = invisible.test(text) && invisible.exec(text.replace(joinersInPlace, ''))
  return found
    ? `has the invisible or direction-changing character ${codePointOf(found[0])} in it; remove it`
    : null
}

function codePointOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}

/** Free text that a page may show. */
export const checkName: Check = (text) => atMost(500)(text) ?? checkVisible(text)

/**
 * Of a household: its JSON is in an index, whose entries have 2,704 bytes at most (migration 0009). Only control
 * characters, six bytes each, can make 500 characters longer than this.
 */
export const checkHouseholdName: Check = (text) =>
  Buffer.byteLength(JSON.stringify(text)) > 2400 ? 'has too many control characters in it' : checkName(text)

/** Roles are named by people: free text, though it is a key. */
export const checkRole: Check = (text) => atMost(64)(text) ?? checkVisible(text)

export const checkSees = oneOf('firm', 'granted')

export const checkUserStatus = oneOf('active', 'disabled')

/** The platform has states of its own; the API shows the accounts whose state is `active`. */
export const checkAccountStatus = matching(
  /^[a-z_]{1,32}$/,
  'is not a status: those are 1 to 32 characters of a-z and _',
)

export const checkCurrency = matching(/^[A-Z]{3}$/, 'is not a currency: those are three letters A-Z')

export const checkDate: Check = (text) => {
  const date = /^\d{4}-\d\d-\d\d$/.test(text) && text >= '0001' ? new Date(text) : null
  const real = date && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
  return real ? null : `${quoted(text)} is not a date: those are written YYYY-MM-DD`
}

/** Whole account numbers are never stored, nor printed. */
export const checkMaskedNumber: Check = (text) =>
  (text.match(/\p{Nd}/gu) ?? []).length > 6
    ? 'looks like a whole account number; store it masked, with 6 digits at most'
    : checkName(text)

/** A password to be hashed, or an argon2id hash. The message never repeats it. */
export const checkPassword: Check = (text) => {
  if (Buffer.byteLength(text) > maxPasswordBytes) return `is longer than ${maxPasswordBytes} bytes`
  if (/[\n\r]/.test(text)) return 'has a line break in it'
  return looksHashed(text) && !isPasswordHash(text)
    ? 'is a hash of another kind: leave it empty, or give the password or its argon2id hash (at most 64 MiB)'
    : null
}

/** `$2b$…`, `$argon2i$…`, `{SSHA}…`, `pbkdf2_sha256$…`: taken for a password, such a hash would itself be what logs in. */
function looksHashed(text: string): boolean {
  return /^(\$[\w-]+\$|\{[\w-]+\}|(argon2|bcrypt|md5|pbkdf2|scrypt|sha)[\w:]*\$)/i.test(text)
}

function matching(pattern: RegExp, otherwise: string): Check {
  return (text) => (pattern.test(text) ? null : `${quoted(text)} ${otherwise}`)
}

function oneOf(...words: string[]): Check {
  return (text) => (words.includes(text) ? null : `${quoted(text)} is not ${words.join(' or ')}`)
}

/** Counted in code points; a text that has few enough UTF-16 units need not be counted. */
function atMost(most: number): Check {
  return (text) =>
    text.length <= most || [...text].length <= most
      ? null
      : `${quoted(text)} is longer than ${most} characters`
}
