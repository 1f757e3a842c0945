import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Environment } from '../../src/config.ts'
import { accessTokenText, refreshTokenText } from '../../src/secrets/connection-token.ts'
import { newToken, parseToken, randomId, type TokenKind } from '../../src/secrets/token-format.ts'
import { testKeys } from '../support/server.ts'

const names: Record<TokenKind, string> = {
  at: 'access token',
  rt: 'refresh token',
  ac: 'authorization code',
  cs: 'client secret',
  ak: 'API key',
  dk: 'developer key',
}
const environment = fc.constantFrom<Environment>('sandbox', 'production')
const kind = fc.constantFrom<TokenKind>('at', 'rt', 'ac', 'cs', 'ak', 'dk')
const secret = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes))
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const anyCharacter = fc.oneof(
  fc.constantFrom(...alphabet, '_', '-', ' ', '\n', '\0', 'é', '０'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
)

/** A token of any kind, made of 32 bytes. */
function textOf(at: Environment, of: TokenKind, bytes: Buffer): string {
  if (of === 'ac' || of === 'cs' || of === 'ak' || of === 'dk') return newToken(at, of, bytes).text
  const keys = testKeys(at).current
  const locator = bytes.subarray(0, 16)
  const expiresAt = bytes.readUInt32BE(24)
  return of === 'at'
    ? accessTokenText(at, keys, { locator, nonce: bytes.subarray(16, 24), expiresAt })
    : refreshTokenText(at, keys, { locator, generation: bytes.readUInt32BE(16), expiresAt })
}

const malformed = (of: TokenKind) => ({
  kind: 'refused',
  reason: 'malformed',
  explanation: `Malformed ${names[of]}. It is incomplete, mistyped or not from this service.`,
})

test('a new token can be parsed, and its hash is the SHA-256 of its text', () => {
  fc.assert(
    fc.property(environment, kind, secret, (at, of, bytes) => {
      const text = textOf(at, of, bytes)
      const length = of === 'at' || of === 'rt' ? 76 : 49
      expect(text).toMatch(
        new RegExp(`^lk_${at === 'sandbox' ? 'test' : 'live'}_${of}_[0-9A-Za-z]{${length}}$`),
      )
      const hash = createHash('sha256').update(text).digest()
      expect(parseToken(text, at, of)).toEqual({
        kind: 'ok',
        hash,
        body: text.slice('lk_test_at_'.length, -6),
      })
    }),
    {
      examples: [
        ['sandbox', 'at', Buffer.alloc(32)],
        ['production', 'cs', Buffer.alloc(32, 0xff)],
      ],
    },
  )
})

test('a derived token is the same for the same 256 bits, and different for others', () => {
  fc.assert(
    fc.property(environment, fc.constantFrom('ac', 'cs'), secret, secret, (at, of, bytes, others) => {
      expect(newToken(at, of, Buffer.from(bytes))).toEqual(newToken(at, of, bytes))
      expect(newToken(at, of, bytes).text === newToken(at, of, others).text).toBe(bytes.equals(others))
    }),
  )
})

test('tokens whose bytes differ in one bit differ: all 256 bits are in the text', () => {
  fc.assert(
    fc.property(secret, fc.nat(255), (bytes, bit) => {
      const flipped = Buffer.from(bytes)
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(newToken('sandbox', 'cs', flipped).text).not.toBe(newToken('sandbox', 'cs', bytes).text)
    }),
  )
})

test('random tokens differ and use the whole alphabet', () => {
  const texts = Array.from({ length: 500 }, () => newToken('sandbox', 'cs').text)
  expect(new Set(texts).size).toBe(500)
  expect(new Set(texts.flatMap((text) => [...text.slice('lk_test_at_'.length)])).size).toBe(62)
})

describe('refused without a database query', () => {
  test('every change of one character at any position', () => {
    fc.assert(
      fc.property(environment, kind, secret, fc.nat(), anyCharacter, (at, of, bytes, where, character) => {
        const text = textOf(at, of, bytes)
        const position = where % text.length
        fc.pre(text[position] !== character)
        const changed = text.slice(0, position) + character + text.slice(position + 1)
        expect(parseToken(changed, at, of)).toEqual(malformed(of))
      }),
      { numRuns: 1000 },
    )
  })

  test('every position of one token, with every character of the alphabet', () => {
    const text = textOf('sandbox', 'rt', Buffer.alloc(32, 7))
    for (let position = 0; position < text.length; position++) {
      for (const character of `${alphabet}_`) {
        if (character === text[position]) continue
        const changed = text.slice(0, position) + character + text.slice(position + 1)
        expect(parseToken(changed, 'sandbox', 'rt').kind, changed).toBe('refused')
      }
    }
  })

  test('truncated or longer tokens, and tokens with two neighbouring characters swapped', () => {
    fc.assert(
      fc.property(environment, kind, secret, fc.nat(), anyCharacter, (at, of, bytes, where, more) => {
        const text = textOf(at, of, bytes)
        const position = where % (text.length - 1)
        const [left = '', right = ''] = text.slice(position, position + 2)
        const exchanged = text.slice(0, position) + right + left + text.slice(position + 2)
        const others = [
          text.slice(0, position),
          text.slice(position + 1),
          text + more,
          more + text,
          `${text}\n`,
        ]
        for (const other of left === right ? others : [...others, exchanged]) {
          expect(parseToken(other, at, of)).toEqual(malformed(of))
        }
      }),
    )
  })

  test('arbitrary text', () => {
    fc.assert(
      fc.property(environment, kind, fc.string({ unit: 'binary' }), (at, of, text) => {
        expect(parseToken(text, at, of)).toEqual(malformed(of))
      }),
    )
  })
})

describe('the error for a valid token in the wrong place says where it belongs', () => {
  test('of another kind: both kinds are named', () => {
    fc.assert(
      fc.property(environment, kind, kind, secret, (at, made, wanted, bytes) => {
        fc.pre(made !== wanted)
        const article = (name: string) => (/^a/i.test(name) ? `an ${name}` : `a ${name}`)
        expect(parseToken(textOf(at, made, bytes), at, wanted)).toEqual({
          kind: 'refused',
          reason: 'wrong_kind',
          explanation: `${article(names[made]).replace('a', 'A')} was sent where ${article(names[wanted])} is expected.`,
        })
      }),
    )
  })

  test('of the other environment: both environments are named', () => {
    fc.assert(
      fc.property(kind, secret, fc.boolean(), (of, bytes, reverse) => {
        const [here, there] = reverse
          ? (['production', 'sandbox'] as const)
          : (['sandbox', 'production'] as const)
        expect(parseToken(textOf(there, of, bytes), here, of)).toEqual({
          kind: 'refused',
          reason: 'wrong_environment',
          explanation: `This ${names[of]} belongs to ${there}. This server is ${here}.`,
        })
      }),
    )
  })

  test('no explanation repeats the token', () => {
    fc.assert(
      fc.property(environment, environment, kind, kind, secret, (made, at, one, two, bytes) => {
        const text = textOf(made, one, bytes)
        const parsed = parseToken(text, at, two)
        if (parsed.kind === 'refused') expect(parsed.explanation).not.toContain(text.slice(11, 20))
      }),
    )
  })
})

test('random ids have the requested length, use the alphabet and never repeat', () => {
  const ids = Array.from({ length: 500 }, () => randomId())
  expect(new Set(ids).size).toBe(500)
  for (const id of ids) expect(id).toMatch(/^[0-9A-Za-z]{22}$/)
  expect(randomId(43)).toHaveLength(43)
})
