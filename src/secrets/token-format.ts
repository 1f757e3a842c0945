import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { anyMark, type Environment, foreignTo, markOf } from '../environment.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** What each kind is called, and how many characters its body has. */
const kinds = {
  at: { name: 'access token', length: 70 },
  rt: { name: 'refresh token', length: 70 },
  ac: { name: 'authorization code', length: 43 },
  cs: { name: 'client secret', length: 43 },
  ak: { name: 'API key', length: 43 },
  dk: { name: 'developer key', length: 43 },
} as const
export type TokenKind = keyof typeof kinds

export const tokenKinds: readonly TokenKind[] = Object.keys(kinds).filter(isKind)

const anyKind = tokenKinds.join('|')
const pattern = new RegExp(`^lk_${anyMark}_(${anyKind})_([0-9A-Za-z]{43,70})([0-9A-Za-z]{6})$`)

/** Text that a secret scanner takes for a token of any kind and environment, also a part of one. */
export const tokenLike = new RegExp(`lk_${anyMark}_(?:${anyKind})_[0-9A-Za-z]+`)

/** A code, client secret or key as its owner gets it, and its SHA-256. The database stores only the hash. */
export type Token = { text: string; hash: Buffer }

export type TokenTextRefusal = {
  kind: 'refused'
  reason: 'malformed' | 'wrong_kind' | 'wrong_environment'
  explanation: string
}

/**
 * `lk_<test|live>_<at|rt|ac|cs|ak|dk>_<body><6 base62: CRC-32 of all before>`. The prefix tells secret scanners and people what
 * leaked. The checksum detects typos and truncation without a query to the database.
 */
export function tokenText(environment: Environment, kind: TokenKind, body: string): string {
  const text = `${tokenPrefix(environment, kind)}${body}`
  return text + wordDigits(crc32(text))
}

export function tokenPrefix(environment: Environment, kind: TokenKind): string {
  return `lk_${markOf(environment)}_${kind}_`
}

/** A code, client secret or key: 256 random bits in 43 base62 characters. */
export function newToken(
  environment: Environment,
  kind: 'ac' | 'cs' | 'ak' | 'dk',
  secret: Buffer = randomBytes(32),
): Token {
  const text = tokenText(environment, kind, base62(secret, kinds[kind].length))
  return { text, hash: sha256(text) }
}

/**
 * Checks everything that the text alone can show. The explanation describes the text and never what is stored, so it may be
 * sent to the client.
 */
export function parseToken(
  text: string,
  environment: Environment,
  kind: TokenKind,
): { kind: 'ok'; hash: Buffer; body: string } | TokenTextRefusal {
  const [, mark, found, body = '', checksum] = pattern.exec(text) ?? []
  if (
    !isKind(found) ||
    body.length !== kinds[found].length ||
    wordDigits(crc32(text.slice(0, -6))) !== checksum
  ) {
    return refused(
      'malformed',
      `Malformed ${kinds[kind].name}. It is incomplete, mistyped or not from this service.`,
    )
  }
  if (found !== kind) {
    return refused(
      'wrong_kind',
      `${capitalised(named(kinds[found].name))} was sent where ${named(kinds[kind].name)} is expected.`,
    )
  }
  const foreign = foreignTo(environment, mark)
  if (foreign) {
    return refused(
      'wrong_environment',
      `This ${kinds[kind].name} belongs to ${foreign}. This server is ${environment}.`,
    )
  }
  return { kind: 'ok', hash: sha256(text), body }
}

export function sha256(content: string | Buffer): Buffer {
  return hash('sha256', content, 'buffer')
}

/** A secret of 256 random bits, as 43 characters. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Random base62 text for ids that are not secret. 22 characters hold 130 bits. */
export function randomId(length = 22): string {
  return base62(randomBytes(32), 43).slice(-length)
}

function refused(reason: TokenTextRefusal['reason'], explanation: string): TokenTextRefusal {
  return { kind: 'refused', reason, explanation }
}

function isKind(mark: string | undefined): mark is TokenKind {
  return mark !== undefined && Object.hasOwn(kinds, mark)
}

function named(kind: string): string {
  return `${/^[aeiou]/i.test(kind) ? 'an' : 'a'} ${kind}`
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** A 32-bit word as six base62 characters. */
export function wordDigits(word: number): string {
  return digits(word, 6)
}

/** The reverse of `wordDigits`; undefined if the six characters are larger than a word, and thus a second text for it. */
export function wordOf(text: string): number | undefined {
  let word = 0
  for (const character of text) word = word * 62 + alphabet.indexOf(character)
  return word < 2 ** 32 ? word : undefined
}

function base62(bytes: Buffer, length: number): string {
  let rest = BigInt(`0x${bytes.toString('hex')}`)
  let text = ''
  for (; text.length < length; rest /= eightDigits) text = digits(Number(rest % eightDigits), 8) + text
  return text.slice(-length)
}

/** Eight digits are converted at a time. They fit exactly into a number, and numbers are ten times as fast as BigInts. */
const eightDigits = 62n ** 8n

function digits(value: number, places: number): string {
  let rest = value
  let text = ''
  for (let place = 0; place < places; place++) {
    text = alphabet[rest % 62] + text
    rest = Math.floor(rest / 62)
  }
  return text
}
