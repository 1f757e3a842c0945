import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Environment } from '../config.ts'
import { anyMark, foreignTo, markOf } from '../environment.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const kinds = {
  at: 'access token',
  rt: 'refresh token',
  ac: 'authorization code',
  cs: 'client secret',
} as const
const pattern = new RegExp(
  `^lk_${anyMark}_(${Object.keys(kinds).join('|')})_[0-9A-Za-z]{43}([0-9A-Za-z]{6})$`,
)

export type TokenKind = keyof typeof kinds

/** A token as the client gets it, and its SHA-256. The database stores only the hash. */
export type Token = { text: string; hash: Buffer }

export type ParsedToken =
  | { kind: 'ok'; hash: Buffer }
  | { kind: 'refused'; reason: 'malformed' | 'wrong_kind' | 'wrong_environment'; explanation: string }

/**
 * `lk_<test|live>_<at|rt|ac|cs>_<43 base62: 256 bits><6 base62: CRC-32 of all before>`. The prefix tells secret scanners
 * and people what leaked. The checksum detects typos and truncation without a query to the database.
 */
export function newToken(environment: Environment, kind: TokenKind, secret: Buffer = randomBytes(32)): Token {
  const body = `lk_${markOf(environment)}_${kind}_${base62(secret, 43)}`
  const text = body + checksum(body)
  return { text, hash: sha256(text) }
}

/** The explanation describes the text and never what is stored, so it may be sent to the client. */
export function parseToken(text: string, environment: Environment, kind: TokenKind): ParsedToken {
  const parts = pattern.exec(text)
  if (!parts || checksum(text.slice(0, -6)) !== parts[3]) {
    return refused(
      'malformed',
      `Malformed ${kinds[kind]}. It is incomplete, mistyped or not from this service.`,
    )
  }
  const [, mark, found] = parts
  if (found !== kind) {
    return refused(
      'wrong_kind',
      `${capitalised(named(kindOf(found)))} was sent where ${named(kinds[kind])} is expected.`,
    )
  }
  const foreign = foreignTo(environment, mark)
  if (foreign) {
    return refused(
      'wrong_environment',
      `This ${kinds[kind]} belongs to ${foreign}. This server is ${environment}.`,
    )
  }
  return { kind: 'ok', hash: sha256(text) }
}

export function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}

/** Random base62 text for ids that are not secret. 22 characters hold 130 bits. */
export function randomId(length = 22): string {
  return base62(randomBytes(32), 43).slice(-length)
}

function refused(reason: 'malformed' | 'wrong_kind' | 'wrong_environment', explanation: string): ParsedToken {
  return { kind: 'refused', reason, explanation }
}

function kindOf(mark: string | undefined): string {
  return Object.entries(kinds).find(([kind]) => kind === mark)?.[1] ?? 'token'
}

function named(kind: string): string {
  return `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function checksum(text: string): string {
  return digits(crc32(text), 6)
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
