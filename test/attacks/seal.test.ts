import { randomBytes } from 'node:crypto'
import { CompactEncrypt, compactDecrypt } from 'jose'
import { describe, expect, test } from 'vitest'
import { openJson, sealJson } from '../../src/secrets/seal.ts'

const key = randomBytes(32)
const content = { user: 'ada', text: 'ä'.repeat(2000) }
const sealed = sealJson(content, key)

function sealedByJose(plaintext: Buffer, header: { alg: 'dir'; enc: string; [name: string]: string }) {
  return new CompactEncrypt(plaintext)
    .setProtectedHeader(header)
    .encrypt(header.enc === 'A256GCM' ? key : key.subarray(0, 16))
}

describe('a sealed value', () => {
  test('is a JWE that another implementation can open, and the reverse', async () => {
    const { plaintext, protectedHeader } = await compactDecrypt(sealed, key)
    expect(JSON.parse(Buffer.from(plaintext).toString())).toEqual(content)
    expect(protectedHeader).toEqual({ alg: 'dir', enc: 'A256GCM' })
    const foreign = await sealedByJose(Buffer.from(JSON.stringify(content)), { alg: 'dir', enc: 'A256GCM' })
    expect(openJson(foreign, [randomBytes(32), key])).toEqual(content)
  })

  test('differs each time', () => {
    expect(sealJson(content, key)).not.toBe(sealed)
  })

  const parts = sealed.split('.')
  const changed = (place: number, change: (part: string) => string) =>
    parts.map((part, i) => (i === place ? change(part) : part)).join('.')
  const flipped = (part: string) => {
    const bytes = Buffer.from(part, 'base64url')
    bytes[0] = (bytes[0] ?? 0) ^ 1
    return bytes.toString('base64url')
  }
  test.each([
    ['changed iv', changed(2, flipped)],
    ['changed text', changed(3, flipped)],
    ['shorter text', changed(3, (part) => part.slice(0, -4))],
    ['no text', changed(3, () => '')],
    ['changed tag', changed(4, flipped)],
    [
      'tag of 12 bytes',
      changed(4, (part) => Buffer.from(part, 'base64url').subarray(0, 12).toString('base64url')),
    ],
    [
      'tag of 4 bytes',
      changed(4, (part) => Buffer.from(part, 'base64url').subarray(0, 4).toString('base64url')),
    ],
    ['no tag', changed(4, () => '')],
    ['longer iv', changed(2, (part) => `${part}AAAA`)],
    ['encrypted key', changed(1, () => 'AAAA')],
    ['padding', `${sealed}==`],
    ['space', changed(3, (part) => `${part} `)],
    ['sixth part', `${sealed}.`],
    ['four parts', parts.slice(0, 4).join('.')],
    ['another header', changed(0, () => Buffer.from('{"enc":"A256GCM","alg":"dir"}').toString('base64url'))],
    ['nothing', ''],
  ])('does not open: %s', (_case, text) => {
    expect(openJson(text, [key])).toBeUndefined()
  })

  test('does not open with another key, or with another algorithm', async () => {
    expect(openJson(sealed, [randomBytes(32)])).toBeUndefined()
    const weak = await sealedByJose(Buffer.from('{}'), { alg: 'dir', enc: 'A128GCM' })
    expect(openJson(weak, [key])).toBeUndefined()
    const named = await sealedByJose(Buffer.from('{}'), { alg: 'dir', enc: 'A256GCM', kid: 'k' })
    expect(openJson(named, [key])).toBeUndefined()
  })
})
