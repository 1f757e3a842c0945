import { describe, expect, test } from 'vitest'
import { brandSheet } from '../../src/brand/brand-sheet.ts'
import { contrast, withContrast } from '../../src/brand/colour.ts'
import { defaultBrand } from '../../src/brand/read-brand.ts'
import { languages } from '../../src/web/languages/languages.ts'
import { brandDirectory, brandFaults, northbridge, sampleBrand } from '../support/brand.ts'
import { configFixture } from '../support/config.ts'
import { serverFixture } from '../support/fixtures.ts'
import { authorize } from '../support/journey.ts'
import { disconnectPage, loggedIn } from '../support/pages.ts'
import { png } from '../support/pictures.ts'
import { type Page, Visitor } from '../support/visitor.ts'

const { read, faultsOf } = configFixture()

describe('the directory of a brand', () => {
  test('complete', () => {
    const { brand } = read({ LATCHKEY_BRAND_DIR: brandDirectory() })
    expect(brand).toMatchObject({
      name: 'Northbridge',
      accent: { light: '#0b5c4a', dark: '#7fd1ba' },
      radius: 6,
      logo: { type: 'image/png', width: 96, height: 96, file: expect.stringMatching(/^[\w-]{22}\.png$/) },
      favicon: { width: 64 },
      supportUrl: northbridge.support_url,
      privacyUrl: northbridge.privacy_url,
      termsUrl: northbridge.terms_url,
    })
    expect(brand.logo.file).not.toBe(brand.logoDark?.file)
  })

  test('with the required settings only', () => {
    const optional = [
      'accent_dark',
      'logo_dark',
      'favicon',
      'radius',
      'support_url',
      'privacy_url',
      'terms_url',
    ]
    const without = Object.fromEntries(optional.map((name) => [name, undefined]))
    const { brand } = read({ LATCHKEY_BRAND_DIR: brandDirectory(without) })
    expect(Object.keys(brand)).toEqual(['name', 'logo', 'favicon', 'accent', 'radius'])
    expect(brand.favicon).toBe(brand.logo)
    expect(contrast(brand.accent.dark, '#0f1115')).toBeGreaterThanOrEqual(7)
  })

  test('none: Latchkey’s own name and logo, without links', () => {
    const { brand } = read()
    expect(brand).toEqual(defaultBrand())
    expect(brand).toMatchObject({ name: 'Latchkey', logo: { type: 'image/svg+xml' } })
    expect(Object.keys(brand).filter((name) => name.endsWith('Url'))).toEqual([])
  })

  test('all faults are reported at once, with those of other variables', () => {
    const directory = brandDirectory(
      {
        name: '',
        accent: '#ffcc00',
        accent_dark: 'teal',
        logo: '../logo.png',
        logo_dark: 'missing.png',
        favicon: 'logo-wide.png',
        support_url: 'http://northbridge.example',
        privacy_url: 'javascript:alert(1)',
      },
      { 'logo-wide.png': png(64, 32) },
    )
    const faults = faultsOf({ LATCHKEY_BRAND_DIR: directory, LATCHKEY_PORT: 'x' })
    const place = `LATCHKEY_BRAND_DIR: ${directory}/brand.json: `
    expect(faults).toHaveLength(9)
    expect(faults[0]).toMatch(/^LATCHKEY_PORT: /)
    expect(faults.slice(1).map((fault) => fault.replace(place, ''))).toEqual([
      'name: must have 1 to 60 characters, without control characters and without space around it',
      'support_url: must be an https or mailto address',
      'privacy_url: must be an https address',
      expect.stringMatching(
        /^accent: the text on #ffcc00 is #ffffff, with a contrast of 1\.5\d:1\. It must be at least 4\.5:1\. The nearest colour is #[0-9a-f]{6}, with 4\.\d\d:1$/,
      ),
      'accent_dark: must be a colour #rrggbb, not "teal"',
      'logo: "../logo.png" must be the name of a file in this directory',
      'logo_dark: "missing.png" cannot be read: ENOENT',
      'favicon: "logo-wide.png" has 64 x 32 pixels; it must be square',
    ])
  })

  test.each([
    ['no directory', '/no/such/directory', /brand\.json: cannot be read: ENOENT$/],
    ['not JSON', brandDirectory({}, { 'brand.json': '{"name":' }), /is not JSON: /],
    [
      'an unknown setting',
      brandDirectory({ acent: '#000000' }),
      /unknown settings: acent\. Known are name, accent, /,
    ],
    ['a missing setting', brandDirectory({ logo: undefined }), /logo/],
    ['a wrong type', brandDirectory({ radius: '8' }), /radius: must be integer$/],
    ['a radius that is too large', brandDirectory({ radius: 17 }), /radius: must be <= 16$/],
  ])('%s', (_name, directory, expected) => {
    const faults = brandFaults(directory)
    expect(faults).toHaveLength(1)
    expect(faults[0]).toMatch(expected)
  })
})

describe('contrast', () => {
  test('is that of WCAG', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21)
    expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
    expect(contrast('#767676', '#ffffff')).toBeCloseTo(4.54, 2)
  })

  test.each(['#ffcc00', '#00ffff', '#ff0000', '#ffffff', '#7fd1ba', '#767676', '#000000'])(
    'the nearest colour to %s passes, and barely',
    (colour) => {
      for (const [ground, ratio] of [
        ['#ffffff', 4.5],
        ['#eef0f3', 7],
        ['#0f1115', 4.5],
        ['#20242d', 7],
      ] as const) {
        const nearest = withContrast(colour, ground, ratio)
        expect(contrast(nearest, ground)).toBeGreaterThanOrEqual(ratio)
        if (nearest !== colour) expect(contrast(nearest, ground)).toBeLessThan(ratio + 0.15)
      }
    },
  )

  test('#767676, whose contrast with white is 4.54, is accepted; #777777, with 4.48, is refused', () => {
    expect(brandFaults(brandDirectory({ accent: '#767676' }))).toEqual([])
    expect(brandFaults(brandDirectory({ accent: '#777777' })).join()).toContain('4.47:1')
  })

  test('links have 7:1 on the darkest ground, for any accent that is accepted', () => {
    const sheet = brandSheet({ ...defaultBrand(), accent: { light: '#767676', dark: '#7d8188' } })
    const [light = '', dark = ''] = [...sheet.matchAll(/--accent-text:(#[0-9a-f]{6})/g)].map(
      ([, text = '']) => text,
    )
    expect(contrast(light, '#eef0f3')).toBeGreaterThanOrEqual(7)
    expect(contrast(dark, '#20242d')).toBeGreaterThanOrEqual(7)
  })
})

describe('a branded deployment', async () => {
  const server = await serverFixture({ users: ['ada'], brand: sampleBrand() })
  const partner = await server.partner()
  const visitor = await loggedIn(server, 'ada')

  /**
   * Reads all pages that the links of these pages lead to, on this origin. Docs, console and developer pages are English and
   * have other readers.
   */
  async function crawl(visitor: Visitor, language: string, first: Page[]): Promise<Page[]> {
    const pages = new Map(first.map((page) => [page.url, page]))
    for (const page of pages.values()) {
      for (const link of page.document.querySelectorAll('a[href]')) {
        const url = new URL(link.getAttribute('href') ?? '', page.url)
        url.hash = ''
        const isForOthers =
          url.href.startsWith(server.baseUrl) || /^\/(admin|developers|status\.json)/.test(url.pathname)
        const isUserPage = url.origin === server.authUrl && !isForOthers
        if (!isUserPage || pages.has(url.href)) continue
        pages.set(
          url.href,
          await visitor.follow(await visitor.get(url.href, { 'accept-language': language })),
        )
      }
    }
    return [...pages.values()]
  }

  test.each(languages)('no user sees the word Latchkey on any page in %s', async (language) => {
    const get = (visitor: Visitor, path: string, more: Record<string, string> = {}) =>
      visitor.get(new URL(path, server.authUrl).href, { 'accept-language': language, ...more })
    const connect = await authorize(visitor, server, partner, { ui_locales: language })
    await visitor.submit(connect, '/connect', { decision: 'connect' })
    const used = await visitor.submit(connect, '/connect', { decision: 'connect' })
    const stranger = new Visitor()
    const pages = await crawl(visitor, language, [
      connect,
      used,
      await disconnectPage(visitor, server),
      ...(await Promise.all(
        [
          '/',
          '/connections',
          `/connect/households${new URL(connect.url).search}`,
          '/sessions',
          '/security',
          '/password/forgotten',
          '/password/forgotten/sent',
          '/password/new',
          '/password/set',
          '/login/passkey',
          '/login/idp/none',
          '/login/idp/none/callback',
          '/idp/none/logged-out',
          '/password',
          '/password/changed',
          '/logout',
          '/connect',
          '/connect?request=x',
          '/login?request=%zz',
          '/api/oauth2/authorize',
          '/no-such-page',
        ].map(async (path) => visitor.follow(await get(visitor, path))),
      )),
      await get(visitor, `${server.baseUrl}oauth2/token`, { accept: 'text/html' }),
      await visitor.post(`${server.authUrl}/password`, '', { 'accept-language': language }),
      await visitor.post(`${server.authUrl}/login`, '', { origin: 'https://evil.example' }),
    ])
    const publicPages = await crawl(stranger, language, [
      await get(stranger, '/'),
      await get(stranger, '/login'),
    ])
    for (const page of [...pages, ...publicPages]) {
      expect(page.headers.get('content-type'), page.url).toMatch(/^text\/html/)
      expect(page.text, page.url).not.toMatch(/latchkey/i)
      expect(page.document.querySelector('title')?.text, page.url).toMatch(/ · Northbridge$/)
      expect(page.document.querySelector('header .brand')?.text, page.url).toBe('Northbridge')
    }
    expect(pages.length).toBeGreaterThan(14)
  })

  test('the docs for partners have the name of the platform', async () => {
    const page = await new Visitor().get(`${server.baseUrl}docs`)
    expect(page.document.querySelector('title')?.text).toBe('Documentation for partners · Northbridge docs')
    expect(page.document.querySelector('header .brand strong')?.text.trim()).toBe('Northbridge')
    expect(page.text).not.toContain('Latchkey')
    const document: unknown = await (await fetch(`${server.baseUrl}openapi.json`)).json()
    expect(document).toMatchObject({ info: { title: 'Northbridge Partner API' } })
  })

  test('logos, favicon and colours are served from here, and cached without end', async () => {
    const page = await visitor.get(`${server.authUrl}/login`)
    const address = (selector: string, attribute: string) =>
      new URL(page.document.querySelector(selector)?.getAttribute(attribute) ?? '', page.url).href
    for (const url of [
      address('.brand img', 'src'),
      address('.brand source', 'srcset'),
      address('link[rel=icon]', 'href'),
    ]) {
      const { status, headers } = await fetch(url)
      expect([status, headers.get('content-type')]).toEqual([200, 'image/png'])
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    }
    const sheet = await (await fetch(address('link[rel=stylesheet]', 'href'))).text()
    expect(sheet).toContain('--accent:#0b5c4a;')
    const icon = await fetch(`${server.authUrl}/favicon.ico`)
    expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/png'])
  })

  test('the foot links to status, support, privacy and terms', async () => {
    const page = await new Visitor().get(`${server.authUrl}/no-such-page`)
    const links = page.document.querySelectorAll('footer a').map((link) => link.getAttribute('href'))
    const { support_url, privacy_url, terms_url } = northbridge
    expect(links).toEqual(['/status', support_url, privacy_url, terms_url])
  })
})

test('without a brand, the pages have Latchkey’s name and only the status in the foot', async () => {
  const server = await serverFixture()
  const page = await new Visitor().get(server.authUrl)
  expect(page.document.querySelector('header .brand')?.text).toBe('Latchkey')
  const links = page.document.querySelectorAll('footer a').map((link) => link.getAttribute('href'))
  expect(links).toEqual(['/status'])
})
