import { describe, expect, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { findPartner } from '../../src/partners/partners.sql.ts'
import { createPartner } from '../../src/partners/partners.ts'
import { updatePartner } from '../../src/partners/update-partner.ts'
import { brandDirectory, brandFaults } from '../support/brand.ts'
import { serverFixture } from '../support/fixtures.ts'
import { png, pngChunk, realWebp, webp } from '../support/pictures.ts'
import { redirectOf, Visitor } from '../support/visitor.ts'

const server = await serverFixture({ users: ['ada'] })
const { database } = server

const newPartner = { name: 'App', redirectUris: ['https://app.example/callback'], requirePkce: false }
const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'

/** Pictures that are refused, and a part of the reason. */
const wrongPictures: [string, Buffer, string][] = [
  ['an SVG, which can contain scripts', Buffer.from(svg), 'is not a PNG or WebP picture'],
  [
    'a page with the name of a picture',
    Buffer.from('<!doctype html><script>alert(1)</script>'),
    'is not a PNG',
  ],
  ['a GIF', Buffer.from('GIF89a\x40\x00\x40\x00', 'latin1'), 'is not a PNG'],
  ['nothing', Buffer.alloc(0), 'is not a PNG'],
  ['a picture with a page behind it', Buffer.concat([png(64), Buffer.from(svg)]), 'is damaged'],
  [
    'a picture with a page as a part behind its end',
    Buffer.concat([png(64), pngChunk('tEXt', Buffer.from(svg)), pngChunk('IEND', Buffer.alloc(0))]),
    'is damaged',
  ],
  ['a picture whose last part is cut', png(64).subarray(0, -2), 'is damaged'],
  ['half a picture', png(64).subarray(0, 60), 'is damaged'],
  ['only the signature', png(64).subarray(0, 8), 'is damaged'],
  ['a PNG of another order', pngWithout('IHDR'), 'is damaged'],
  ['a PNG without data', pngWithout('IDAT'), 'is damaged'],
  ['more bytes than allowed', Buffer.concat([png(64), Buffer.alloc(65_536)]), 'at most 65536 are allowed'],
  ['a picture of 60,000 pixels a side, which would fill the memory', hugePng(), 'has 60000 x 60000 pixels'],
  ['a picture too small to see', png(16), 'has 16 x 16 pixels'],
  ['an animated PNG', png(64, 64, [0, 0, 0], [pngChunk('acTL', Buffer.alloc(8))]), 'is animated'],
  ['an animated WebP', webp('VP8X', [2, 0, 0, 0, 63, 0, 0, 63, 0, 0], 'ANIM'), 'is animated'],
  ['a WebP of 16384 pixels', webp('VP8L', [0x2f, 0xff, 0xff, 0xff, 0x0f]), 'has 16384 x 16384 pixels'],
  [
    'a WebP with a page behind it',
    Buffer.concat([webp('VP8L', [0x2f, 63, 192, 15, 0]), Buffer.from(svg)]),
    'is damaged',
  ],
  ['a WebP without a picture', webp('VP8X', [0, 0, 0, 0, 63, 0, 0, 63, 0, 0]), 'is damaged'],
]

function pngWithout(name: 'IHDR' | 'IDAT'): Buffer {
  const whole = png(64)
  const at = whole.indexOf(name) - 4
  return Buffer.concat([whole.subarray(0, at), whole.subarray(at + 12 + whole.readUInt32BE(at))])
}

function hugePng(): Buffer {
  const picture = png(64)
  picture.writeUInt32BE(60_000, 16)
  picture.writeUInt32BE(60_000, 20)
  return picture
}

describe('77: a picture that is not what it seems', () => {
  test.each(wrongPictures)('%s is refused, for a brand and for a partner', async (_name, content, reason) => {
    expect(brandFaults(brandDirectory({}, { 'logo.png': content })).join()).toContain(reason)
    const created = await createPartner(database, systemOrigin, 'sandbox', { ...newPartner, logo: content })
    expect(created).toMatchObject({ kind: 'refused', faults: [expect.stringContaining(reason)] })
  })

  test.each([
    ['as Chromium makes it', realWebp],
    ['without loss', webp('VP8L', [0x2f, 63, 192, 11, 0])],
    ['extended', webp('VP8X', [0, 0, 0, 0, 63, 0, 0, 47, 0, 0], 'VP8L')],
  ])('the size of a WebP picture is read: %s', (_name, content) => {
    const directory = brandDirectory({ favicon: 'logo.webp', logo: 'logo.webp' }, { 'logo.webp': content })
    expect(brandFaults(directory)).toEqual([
      'brand.json: favicon: "logo.webp" has 64 x 48 pixels; it must be square',
    ])
  })

  test('a picture is answered with its type and a policy that loads nothing', async () => {
    const logo = png(64, 64, [200, 0, 0])
    const created = await createPartner(database, systemOrigin, 'sandbox', { ...newPartner, logo })
    if (created.kind === 'refused') throw new Error(created.faults.join())
    const partner = await database.one(findPartner, [created.clientId])
    const answer = await fetch(`${server.authUrl}/assets/partners/${partner.logo}`)
    expect(Buffer.from(await answer.arrayBuffer()).equals(logo)).toBe(true)
    expect(answer.headers.get('content-type')).toBe('image/png')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'")
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    const removed = await updatePartner(database, systemOrigin, 'sandbox', created.clientId, { logo: null })
    expect(removed).toMatchObject({ kind: 'updated', partner: { logo: null } })
    expect((await fetch(`${server.authUrl}/assets/partners/${partner.logo}`)).status).toBe(404)
  })

  test.each([
    'x.png',
    '..%2f..%2flogo.svg',
    `${'a'.repeat(22)}.svg`,
    `${'a'.repeat(22)}.png`,
    "'%20OR%201=1.png",
  ])('there is no picture %s', async (file) =>
    expect((await fetch(`${server.authUrl}/assets/partners/${file}`)).status).toBe(404),
  )

  test('pages load pictures from here only', async () => {
    const page = await new Visitor().get(`${server.authUrl}/login`)
    expect(page.headers.get('content-security-policy')).toContain("img-src 'self';")
  })
})

describe('77: names, texts and links', () => {
  const hidden = 'North\u202ebridge'

  test.each([
    [
      'a name with a direction-changing character',
      { name: hidden },
      'name: contains the invisible or direction',
    ],
    ['a name with a zero-width space', { name: 'North\u200bbridge' }, 'name: contains the invisible'],
    ['a name of two lines', { name: 'North\nbridge' }, 'name: must have'],
    ['a script as a link', { terms_url: 'javascript:alert(1)' }, 'terms_url: must be an https address'],
    [
      'data as a link',
      { support_url: 'data:text/html,x' },
      'support_url: must be an https or mailto address',
    ],
    [
      'a link without encryption',
      { privacy_url: 'http://a.example' },
      'privacy_url: must be an https address',
    ],
    [
      'a host hidden behind user information',
      { privacy_url: 'https://bank.example@evil.example' },
      'user information',
    ],
    ['mail to several', { support_url: 'mailto:a@b.example,c@d.example' }, 'support_url: must be mailto:'],
    ['style in a colour', { accent: '#000;}*{display:none' }, 'accent: must be a colour'],
    ['a file elsewhere', { logo: '/etc/passwd' }, 'logo: "/etc/passwd" must be the name of a file'],
  ])('a brand with %s is refused', (_name, changes, reason) => {
    const faults = brandFaults(brandDirectory(changes))
    expect(faults).toHaveLength(1)
    expect(faults[0]).toContain(reason)
  })

  test.each([
    [
      'a description with a direction-changing character',
      { description: hidden },
      'The description contains',
    ],
    ['a description of two lines', { description: 'a\nb' }, 'The description must have'],
    ['an empty description', { description: ' ' }, 'The description must have'],
    ['a description that is too long', { description: 'x'.repeat(201) }, 'The description must have'],
    [
      'a script as its privacy policy',
      { privacyUrl: 'javascript:alert(1)' },
      'The privacy URL must be an https',
    ],
    ['a script as its site', { site: 'javascript:alert(1)' }, 'Site "javascript:alert(1)" must be https'],
  ])('a partner with %s is refused', async (_name, profile, reason) => {
    const created = await createPartner(database, systemOrigin, 'sandbox', { ...newPartner, ...profile })
    expect(created).toMatchObject({ kind: 'refused', faults: [expect.stringContaining(reason)] })
  })
})

describe('77: the switch between languages leads nowhere else', () => {
  const press = (back: string, headers: Record<string, string> = {}) =>
    new Visitor().post(`${server.authUrl}/language`, { to: 'fr', back }, headers)

  test.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    '',
    'http://[',
  ])('%j leads to the front page', async (back) => {
    const answer = await press(back)
    expect(answer.status).toBe(303)
    expect(redirectOf(answer)?.href).toBe(`${server.authUrl}/`)
  })

  test('a path that begins with two slashes stays on this origin', async () => {
    expect(redirectOf(await press('/.//evil.example'))?.origin).toBe(server.authUrl)
  })

  test('a line break adds no header', async () => {
    const answer = await press('/login?x=1\r\nset-cookie: a=b')
    expect(answer.headers.getSetCookie().map((cookie) => cookie.split('=')[0])).toEqual(['latchkey-language'])
  })

  test('another site cannot press it, and a language that does not exist is refused', async () => {
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      const answer = await press('/login', headers)
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, []])
    }
    const answer = await new Visitor().post(`${server.authUrl}/language`, { to: 'xx', back: '/' })
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([400, []])
  })
})
