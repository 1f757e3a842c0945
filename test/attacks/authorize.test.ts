import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { serverFixture } from '../support/fixtures.ts'
import { authorizeUrl } from '../support/journey.ts'
import { everyWay, expectErrorPage, parametersFor } from '../support/pages.ts'
import { ofRuns } from '../support/property-runs.ts'
import { getWithHeaders } from '../support/raw-request.ts'
import { testServer } from '../support/server.ts'
import { Visitor } from '../support/visitor.ts'

const server = await serverFixture()
const partner = await server.partner()
const endpoint = `${server.authUrl}/api/oauth2/authorize`

const registered = 'https://partner.example/callback'

const lookalikes = [
  'https://partner.example/Callback',
  'https://Partner.example/callback',
  'HTTPS://partner.example/callback',
  'https://partner.example:443/callback',
  'https://partner.example./callback',
  'https://partner.example/callback/',
  'https://partner.example/callback?',
  'https://partner.example/callback?x',
  'https://partner.example/callback?x=1',
  'https://partner.example/callback#',
  'https://partner.example/callback#f',
  'https://partner.example/callback/%2e%2e',
  'https://partner.example/x/%2e%2e/callback',
  'https://partner.example/x/../callback',
  'https://partner.example/./callback',
  'https://partner.example//callback',
  'https://partner.example/c%61llback',
  'https://partner.example%2fcallback',
  'https://partner.example/callback\t',
  'https://partner.example/call\tback',
  'https://partner.example/callback\n',
  'https://partner.example/callback\r\nx-injected: 1',
  ' https://partner.example/callback',
  'https://partner.example/callback ',
  'https://partner.example\\@evil.example/callback',
  'https:\\\\partner.example/callback',
  'https://partner.example@evil.example/callback',
  'https://user@partner.example/callback',
  'https://user:secret@partner.example/callback',
  'https://partner.example.evil.example/callback',
  'https://evilpartner.example/callback',
  'https://evil.example/https://partner.example/callback',
  'https://p\u0430rtner.example/callback', // a Cyrillic a
  'https://\uff50artner.example/callback', // a full-width p
  'https://partner\u3002example/callback', // an ideographic full stop
  'http://partner.example/callback',
  '//partner.example/callback',
  '/callback',
  'javascript:alert(1)//https://partner.example/callback',
  'https://partner.example/callback,https://evil.example/',
  'https://partner.example/callback https://evil.example/',
]

describe('1: a redirect_uri that is almost the registered one', () => {
  test.each(lookalikes)('%j', async (redirectUri) => {
    for (const page of await Promise.all(
      everyWay(server, parametersFor(partner, { redirect_uri: redirectUri })),
    )) {
      expectErrorPage(page)
      expect(page.document.querySelector('.fault')?.text).toContain('must match a registered URI exactly')
    }
  })

  test.each([
    [
      'exactly as received',
      'https://partner.example/Callback?a=1&b=2',
      'https://partner.example/Callback?a=1&b=2',
    ],
    ['as text', '"><img src=x>', '"><img\\u{20}src=x>'],
    [
      'with its invisible last character',
      'https://partner.example/callback\n',
      'https://partner.example/callback\\u{A}',
    ],
    ['with its direction marks escaped', 'https://\u202egnp\u2066x', 'https://\\u{202E}gnp\\u{2066}x'],
    ['with lookalike letters escaped', 'https://p\u0430rtner\u{1d552}', 'https://p\\u{430}rtner\\u{1D552}'],
    ['without readable messages to the user', 'Call 555 0100 now', 'Call\\u{20}555\\u{20}0100\\u{20}now'],
    ['cut to a limited length', `https://${'a'.repeat(5000)}`, `https://${'a'.repeat(292)}…`],
  ])('the page shows the received one: %s', async (_name, redirectUri, shown) => {
    const parameters = parametersFor(partner, { redirect_uri: redirectUri, ui_locales: 'de' })
    for (const page of await Promise.all(everyWay(server, parameters))) {
      expectErrorPage(page)
      expect(page.document.querySelector('.fault code')?.text).toBe(shown)
      expect(page.document.querySelector('.fault')?.text).toContain('Empfangene redirect_uri:')
      expect(page.document.querySelector('main img')).toBeNull()
    }
  })

  test('any other string, and any single edit of the registered one', async () => {
    const edit = fc
      .tuple(fc.nat(registered.length), fc.nat(1), fc.string({ maxLength: 2, unit: 'grapheme' }))
      .map(([at, cut, text]) => registered.slice(0, at) + text + registered.slice(at + cut))
    const otherSite = fc.webAuthority().map((authority) => `https://${authority}/callback`)
    const other = fc.oneof(edit, otherSite, fc.string({ minLength: 1, unit: 'binary' }))
    const isNot = other.filter((uri) => uri !== registered && uri !== '' && uri.isWellFormed())
    await fc.assert(
      fc.asyncProperty(isNot, async (uri) => {
        expectErrorPage(
          await new Visitor().get(`${endpoint}?${parametersFor(partner, { redirect_uri: uri })}`),
        )
      }),
      { numRuns: ofRuns(400) },
    )
  })

  test('the exact one is accepted (otherwise the refusals above would prove nothing)', async () => {
    for (const page of await Promise.all(everyWay(server, parametersFor(partner)))) {
      expect(page.status).toBe(303)
      expect(page.headers.get('location')).toMatch(/^\/connect\?request=/)
    }
  })

  test('one that is registered for another partner', async () => {
    const other = await server.partner({ redirectUri: 'https://other.example/callback' })
    for (const page of await Promise.all(
      everyWay(server, parametersFor(partner, { redirect_uri: other.redirectUri })),
    )) {
      expectErrorPage(page)
    }
  })
})

describe('an unknown client gets an error page, regardless of its other parameters', () => {
  test.each([
    'nobody',
    'test_0000000000000000000000',
    ' ',
    "' OR 1=1 --",
    '%',
    '<img src=x onerror=alert(1)>',
  ])('client_id %j', async (clientId) => {
    for (const page of await Promise.all(everyWay(server, parametersFor(partner, { client_id: clientId })))) {
      expectErrorPage(page)
      expect(page.text).toContain('Unknown client_id')
      expect(page.document.querySelector('main img')).toBeNull()
    }
  })

  test('client_id in another case, padded, or cut', async () => {
    const { clientId } = partner
    for (const id of [
      clientId.toUpperCase(),
      ` ${clientId}`,
      `${clientId} `,
      clientId.slice(0, -1),
      `${clientId}\n`,
    ]) {
      expectErrorPage(await new Visitor().get(`${endpoint}?${parametersFor(partner, { client_id: id })}`))
    }
  })

  test('NUL, broken percent-encoding and broken UTF-8 are a client error, never a 500', async () => {
    for (const bad of ['%00', '%zz', '%', '%ff%fe', '%ed%a0%80', '%c0%ae']) {
      for (const name of ['client_id', 'redirect_uri', 'state']) {
        for (const page of await Promise.all(
          everyWay(server, `${parametersFor(partner, {}, [name])}&${name}=a${bad}`),
        )) {
          expectErrorPage(page)
        }
      }
    }
  })

  test('a body of another content type is not read and cannot bring other value types', async () => {
    const json = { 'content-type': 'application/json' }
    const bodies = [
      { client_id: 'a\0', redirect_uri: 'b' },
      { client_id: [partner.clientId], redirect_uri: { length: 1 } },
      Object.fromEntries(new URLSearchParams(parametersFor(partner))),
    ]
    for (const body of bodies) {
      const page = await new Visitor().post(endpoint, JSON.stringify(body), json)
      expect(page.status).toBe(415)
      expect(page.headers.get('location')).toBeNull()
      expect(page.document.querySelector('.fault [lang=en]')?.text).toBe(
        'send the parameters in the query, or in the body as application/x-www-form-urlencoded, in UTF-8 and not compressed',
      )
    }
  })
})

describe('3: redirect_uri missing', () => {
  test.each(['redirect_uri', 'client_id'])('%s absent or empty', async (name) => {
    for (const query of [parametersFor(partner, {}, [name]), parametersFor(partner, { [name]: '' })]) {
      for (const page of await Promise.all(everyWay(server, query))) {
        expectErrorPage(page)
        expect(page.text).toContain(`Missing required parameter: ${name}`)
      }
    }
  })
})

test('8: a client of the other environment is unknown, and the page names the client’s environment', async () => {
  const production = await testServer({ environment: 'production' })
  try {
    const live = await production.partner()
    const pages = [
      {
        page: await new Visitor().post(authorizeUrl(server, live), ''),
        text: 'belongs to the production environment. This is the sandbox environment.',
      },
      {
        page: await new Visitor().post(authorizeUrl(production, partner), ''),
        text: 'belongs to the sandbox environment. This is the production environment.',
      },
    ]
    for (const { page, text } of pages) {
      expectErrorPage(page)
      expect(page.text).toContain(text)
    }
  } finally {
    await production.close()
  }
})

describe('15: spoofed headers change nothing', () => {
  const spoofed = {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
    'x-forwarded-for': '203.0.113.7',
    'x-forwarded-port': '1234',
    'x-original-url': '/connections',
    'x-http-method-override': 'POST',
    forwarded: 'for=203.0.113.7;host=evil.example;proto=https',
  }

  test('iss, redirects and pages are those of the configuration', async () => {
    const refused = await getWithHeaders(`${endpoint}?${parametersFor(partner, { scope: 'none' })}`, spoofed)
    expect(new URL(refused.location ?? '').searchParams.get('iss')).toBe(server.authUrl)
    // Still a GET, despite the override headers: response_type is required.
    const get = await getWithHeaders(`${endpoint}?${parametersFor(partner, {}, ['response_type'])}`, spoofed)
    expect(new URL(get.location ?? '').searchParams.get('error')).toBe('invalid_request')
    const accepted = await getWithHeaders(`${endpoint}?${parametersFor(partner)}`, spoofed)
    expect(accepted.location).toMatch(/^\/connect\?request=/)
    const login = await getWithHeaders(`${server.authUrl}/login`, spoofed)
    expect(login.status).toBe(200)
    expect(login.text).not.toContain('evil.example')
    const discovery = await getWithHeaders(`${server.authUrl}/.well-known/openid-configuration`, spoofed)
    expect(discovery.text).not.toContain('evil.example')
    expect(JSON.parse(discovery.text)).toMatchObject({
      issuer: server.authUrl,
      authorization_endpoint: endpoint,
    })
  })
})
