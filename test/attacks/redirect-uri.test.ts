import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { createPartner } from '../../src/partners/partners.ts'
import { query } from '../support/database.ts'
import { databaseFixture } from '../support/fixtures.ts'

const db = await databaseFixture()

async function register(...redirectUris: string[]): Promise<'created' | string[]> {
  const outcome = await createPartner(db.database, systemOrigin, 'sandbox', {
    name: 'Partner',
    redirectUris,
    requirePkce: false,
  })
  return outcome.kind === 'created' ? 'created' : outcome.faults
}

const partners = async () => (await query(db.database, 'SELECT FROM partners')).length

const refused: Record<string, string[]> = {
  'plain http, but for loopback': [
    'http://partner.example/callback',
    'http://127.0.0.2/callback',
    'http://10.0.0.1/callback',
    'http://localhost.evil.example/callback',
    'http://localhost./callback',
    'http://127.0.0.1.nip.io/callback',
    'http://[::2]/callback',
    'http://0.0.0.0/callback',
  ],
  'other schemes': [
    'javascript:alert(1)',
    'javascript://partner.example/%0aalert(1)',
    'data:text/html,<script>alert(1)</script>',
    'data:text/html;base64,PHNjcmlwdD4=',
    'vbscript:x',
    'blob:https://partner.example/1',
    'file:///etc/passwd',
    'ftp://partner.example/',
    'ws://localhost/',
    'about:blank',
    'view-source:https://partner.example/',
    'com.partner.app:/callback',
    'urn:ietf:wg:oauth:2.0:oob',
    'intent://partner.example/#Intent;end',
  ],
  'a fragment': [
    'https://partner.example/callback#f',
    'https://partner.example/callback#',
    'https://partner.example/#/callback',
  ],
  'user information': [
    'https://user@partner.example/',
    'https://user:secret@partner.example/',
    'https://@partner.example/',
    'https://:@partner.example/',
  ],
  'no absolute URL': [
    '',
    '/callback',
    '//partner.example/callback',
    'partner.example',
    'https:',
    'https://',
    'https:///callback',
    'https://[::1/callback',
  ],
  'more than one spelling': [
    'https:partner.example/callback',
    'https:\\\\partner.example\\callback',
    'https://partner.example\\@evil.example/',
    'HTTPS://partner.example/callback',
    'https://Partner.example/callback',
    'https://partner.example:443/callback',
    'https://partner.example:0443/callback',
    'https://partner.example/a/../callback',
    'https://partner.example/a/%2e%2e/callback',
    'https://partner.example/./callback',
    'https://partner%2eexample/callback',
    'http://127.1/callback',
    'http://0x7f.0.0.1/callback',
    'http://2130706433/callback',
    'http://[0:0:0:0:0:0:0:1]/callback',
    'http://localhost:080/callback',
  ],
  'invisible or foreign characters': [
    ' https://partner.example/',
    'https://partner.example/ ',
    'https://partner.example/call back',
    'https://partner.example/call\tback',
    'https://partner.example/\r\nLocation:https://evil.example',
    'https://partner.example/\0',
    'https://p\u0430rtner.example/',
    'https://partner.example/caf\u00e9',
    'https://partner\u3002example/',
    'https://partner.example/\u202e',
  ],
  'hosts that would mean something in a Content-Security-Policy': [
    "https://partner.example;script-src'self'/callback",
    'https://partner.example;sandbox/callback',
    'https://partner.example,sandbox/callback',
    'https://*.partner.example/callback',
    'https://*/callback',
    "https://'unsafe-inline'/callback",
  ],
  'too long': [`https://partner.example/${'x'.repeat(1000)}`],
}

describe('2: registering a redirect URI', () => {
  test.each(Object.entries(refused))('%s: refused, and nothing is stored', async (_why, uris) => {
    for (const uri of uris) {
      const before = await partners()
      expect([uri, await register(uri)]).toEqual([uri, [expect.stringMatching(/^Redirect URI ".*" \S/)]])
      // One bad URI makes the whole list invalid.
      expect(await register('https://partner.example/good', uri)).toHaveLength(1)
      expect(await partners()).toBe(before)
    }
  })

  test.each([
    'https://partner.example/callback',
    'https://partner.example',
    'https://partner.example/',
    'https://partner.example/callback/',
    'https://partner.example:8443/callback?tenant=7&x=%20',
    'https://xn--mnchen-3ya.example/callback',
    'https://192.0.2.1/callback',
    'https://[2001:db8::1]/callback',
    'http://localhost:4010/callback',
    'http://127.0.0.1/callback',
    'http://[::1]:4010/callback',
  ])('%s can be registered, and is stored as it was written', async (uri) => {
    expect(await register(uri)).toBe('created')
    const [row] = await query<{ redirect_uris: string[] }>(
      db.database,
      'SELECT redirect_uris FROM partners ORDER BY created_at DESC LIMIT 1',
    )
    expect(row?.redirect_uris).toEqual([uri])
  })

  test('a partner needs at least one', async () => {
    expect(await register()).toEqual(['At least one redirect URI is required.'])
  })

  test('every accepted one is a plain https or loopback address that all URL parsers read the same way', async () => {
    const host = fc.oneof(
      fc.domain(),
      fc.ipV4(),
      fc.ipV4Extended(),
      fc.ipV6().map((ip) => `[${ip}]`),
      fc.constantFrom('localhost', '127.0.0.1', '[::1]'),
      fc.string(),
    )
    const separator = fc.constantFrom('://', ':', ':/', ':///', ':\\\\', '')
    const scheme = fc.constantFrom('https', 'http', 'HTTPS', 'javascript', 'data', 'ftp', 'wss', '')
    const piece = fc.oneof(
      fc.constantFrom(
        '/',
        '..',
        '%2e%2e',
        '.',
        '@',
        ':443',
        ':80',
        '?',
        '#',
        '\\',
        '\t',
        '\n',
        ' ',
        ';',
        ',',
        "'",
        '*',
        '%',
        '\u202e',
      ),
      fc.webPath(),
      fc.string(),
    )
    const uri = fc
      .tuple(scheme, separator, host, fc.array(piece, { maxLength: 4 }))
      .map(([s, c, h, rest]) => `${s}${c}${h}${rest.join('')}`)
    let accepted = 0
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          uri,
          fc.webUrl(),
          fc.webUrl({
            validSchemes: ['http', 'https', 'javascript'],
            withFragments: true,
            withQueryParameters: true,
          }),
        ),
        async (text) => {
          const outcome = await register(text)
          if (outcome !== 'created') return
          accepted += 1
          const url = new URL(text)
          expect(text).toMatch(/^[\x21-\x7e]{1,1000}$/)
          expect(
            text.startsWith('https://') || /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])([:/?]|$)/.test(text),
          ).toBe(true)
          expect([url.href, url.href.replace(/\/$/, '')]).toContain(text)
          expect([url.hash, url.username, url.password]).toEqual(['', '', ''])
          expect(text).not.toMatch(/[#\\<>"]|^[a-z]+:\/\/[^/?]*@/)
          expect(url.host).toMatch(/^([a-z0-9._-]+|\[[0-9a-f:]+\])(:\d+)?$/)
          // The connect page's Content-Security-Policy names this origin, which must not add directives or sources.
          expect(url.origin).not.toMatch(/[;,'* ]/)
        },
      ),
      { numRuns: 1500 },
    )
    expect(accepted).toBeGreaterThan(50)
  })
})

describe('18: the name of a partner, when it is registered', () => {
  const name = async (text: string) =>
    (
      await createPartner(db.database, systemOrigin, 'sandbox', {
        name: text,
        redirectUris: ['https://partner.example/'],
        requirePkce: false,
      })
    ).kind

  test.each(['', '   ', 'a\nb', 'a\0b', 'a\u001bb', 'a\u0085b', 'x'.repeat(101)])(
    '%j is refused',
    async (text) => {
      expect(await name(text)).toBe('refused')
    },
  )

  test.each(['Ledger & Sons', 'Łódź 家計 👩‍👩‍👧', '<img src=x onerror=alert(1)>', 'x'.repeat(100)])(
    '%j is accepted',
    async (text) => {
      expect(await name(text)).toBe('created')
    },
  )
})
