import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { systemOrigin } from '../../src/audit/origin.ts'
import { setPartnerStatus } from '../../src/partners/partners.ts'
import { chooseTexts, type Language, languages, type Texts } from '../../src/web/languages/languages.ts'
import { emailOf, seed } from '../support/directory.ts'
import { serverFixture } from '../support/fixtures.ts'
import { authorize, logIn } from '../support/journey.ts'
import { wrong } from '../support/login.ts'
import { isConnectPage, isLoginPage, loggedIn, parametersFor, recoveryLink } from '../support/pages.ts'
import { ofRuns } from '../support/property-runs.ts'
import { testServer } from '../support/server.ts'
import { fieldsOf, type Page, redirectOf, Visitor } from '../support/visitor.ts'

const server = await serverFixture({ users: ['ada', 'bob', 'cleo'] })
const partner = await server.partner()

const textsIn = (language: Language): Texts => chooseTexts(language, undefined)
const heading = (page: Page) => page.document.querySelector('h1')?.text.trim()

/** Expects that the page has this language and that its headers tell browsers and caches. */
function expectLanguage(page: Page, language: Language): void {
  expect(page.document.querySelector('html')?.getAttribute('lang')).toBe(language)
  expect(page.headers.get('content-language')).toBe(language)
  expect(page.headers.get('vary')?.toLowerCase()).toContain('accept-language')
}

describe('the language is chosen', () => {
  test.each<[string, string | undefined, string | undefined, Language]>([
    ['by ui_locales', 'de', undefined, 'de'],
    ['by ui_locales before Accept-Language', 'fr', 'de', 'fr'],
    ['by the first of several ui_locales', 'fr-CA en', undefined, 'fr'],
    ['regardless of case and region', 'ES-419', undefined, 'es'],
    ['without unknown tags', 'xx-YY zh-Hant-TW de-AT en', undefined, 'de'],
    ['by Accept-Language if no tag is known', 'it pt', 'es', 'es'],
    ['by Accept-Language if ui_locales is empty', '', 'fr', 'fr'],
    ['by the weights of Accept-Language', undefined, 'en;q=0.3, de-CH;q=0.9, fr;q=0.5', 'de'],
    ['by the first of equal weights', undefined, 'it, es, de', 'es'],
    ['without languages of weight 0', undefined, 'de;q=0, fr', 'fr'],
    ['English for *', undefined, '*', 'en'],
    ['English for unsupported languages', 'xx', 'zh, ja', 'en'],
    ['English for a malformed header', undefined, ';;q=x,,=,q=1, "de"', 'en'],
    ['English for an empty header', undefined, '', 'en'],
    ['English without any preference', undefined, undefined, 'en'],
    [
      'without treating properties of Object.prototype as languages',
      '__proto__ constructor toString de',
      undefined,
      'de',
    ],
  ])('%s', (_name, uiLocales, acceptLanguage, expected) => {
    expect(chooseTexts(uiLocales, acceptLanguage).language).toBe(expected)
  })

  test('any input gives the complete texts of one of the four languages', () => {
    const tag = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('de', 'fr-CA', '*', ';q=0', 'es;q=2', ',', '-'),
    )
    const preference = fc.option(
      fc.oneof(
        fc.array(tag).map((tags) => tags.join(' ')),
        fc.array(tag).map(String),
      ),
      { nil: undefined },
    )
    fc.assert(
      fc.property(preference, preference, (uiLocales, acceptLanguage) => {
        const { language, ...texts } = chooseTexts(uiLocales, acceptLanguage)
        expect(languages).toContain(language)
        expect(texts).toEqual({ ...textsIn(language), language: undefined })
      }),
      { numRuns: ofRuns(300) },
    )
  })
})

describe('the switch between languages', () => {
  const press = (visitor: Visitor, page: Page, to: string) => visitor.submit(page, '/language', { to })

  test('is on every page, also on errors, and names each language in itself', async () => {
    const visitor = await loggedIn(server, 'bob')
    for (const path of [
      '',
      'connections',
      'sessions',
      'password',
      'no-such-page',
      'connect?request=x',
      'login?a=%zz',
    ]) {
      const page = await visitor.get(`${server.authUrl}/${path}`)
      const buttons = page.document.querySelectorAll('footer form[action="/language"] button')
      expect(buttons.map((button) => [button.getAttribute('lang'), button.text])).toEqual([
        ['en', 'English'],
        ['de', 'Deutsch'],
        ['fr', 'Français'],
        ['es', 'Español'],
      ])
    }
  })

  test('leads back to the same page and keeps the request; the choice counts for a year, before ui_locales', async () => {
    const visitor = new Visitor()
    const login = await authorize(visitor, server, partner, { ui_locales: 'fr' })
    expectLanguage(login, 'fr')
    const answer = await press(visitor, login, 'de')
    expect(answer.status).toBe(303)
    expect(answer.headers.getSetCookie().join()).toMatch(
      /^latchkey-language=de; Max-Age=31536000; Path=\/; HttpOnly/,
    )
    const again = await visitor.follow(answer)
    expect(again.url).toBe(login.url)
    expectLanguage(again, 'de')
    const connect = await logIn(visitor, again, 'ada')
    expect(isConnectPage(connect)).toBe(true)
    expectLanguage(connect, 'de')
    expectLanguage(await visitor.get(`${server.authUrl}/`, { 'accept-language': 'es' }), 'de')
  })

  test('on a form that was refused, it leads to the page of the form', async () => {
    const visitor = new Visitor()
    const login = await authorize(visitor, server, partner)
    const refused = await visitor.submit(login, '/login', wrong('ada'))
    expect(redirectOf(await press(visitor, refused, 'es'))?.pathname).toBe('/connect')
  })

  test('an invalid cookie is ignored', async () => {
    for (const chosen of ['xx', '__proto__', '%zz', 'de%0d%0a', '']) {
      const headers = { cookie: `latchkey-language=${chosen}`, 'accept-language': 'fr' }
      const page = await new Visitor().get(`${server.authUrl}/login`, headers)
      expectLanguage(page, 'fr')
    }
  })
})

describe.each(languages)('pages in %s', (language) => {
  const texts = textsIn(language)

  test('ui_locales applies from authorize through a wrong password to connect, and overrides Accept-Language', async () => {
    const visitor = new Visitor()
    const other = { 'accept-language': language === 'de' ? 'fr' : 'de' }
    const login = await authorize(visitor, server, partner, { ui_locales: `xx ${language}-XX` })
    expect(isLoginPage(login)).toBe(true)
    const refused = await visitor.submit(login, '/login', wrong('ada'), other)
    expect(refused.status).toBe(403)
    expect(refused.document.querySelector('[role=alert]')?.text).toBe(texts.login.wrongCredentials)
    const page = await logIn(visitor, refused, 'ada')
    expect(isConnectPage(page)).toBe(true)
    for (const shown of [login, refused, page]) expectLanguage(shown, language)
    expect([heading(login), heading(refused)]).toEqual([texts.login.heading, texts.login.heading])
    expect(page.document.querySelector('button[value=connect]')?.text).toBe(texts.connect.submit)

    const crossSite = await visitor.submit(page, '/connect', {}, { origin: 'https://evil.example', ...other })
    const stale = await visitor.submit(page, '/connect', { _csrf: 'x', decision: 'connect' }, other)
    expect([crossSite.status, stale.status]).toEqual([403, 403])
    expect([heading(crossSite), heading(stale)]).toEqual([
      texts.errors.crossSiteForm.heading,
      texts.errors.staleForm.heading,
    ])
    for (const shown of [crossSite, stale]) expectLanguage(shown, language)
    expect(isConnectPage(await visitor.get(recoveryLink(stale, texts.errors.tryAgain)))).toBe(true)
  })

  test('without ui_locales, Accept-Language decides', async () => {
    const headers = { 'accept-language': `xx, ${language};q=0.8, en;q=0.1` }
    const visitor = new Visitor()
    const login = await visitor.get(`${server.authUrl}/login`, headers)
    const refused = await visitor.submit(login, '/login', wrong('bob'), headers)
    const missing = await visitor.get(`${server.authUrl}/no-such-page`, headers)
    for (const page of [login, refused, missing]) expectLanguage(page, language)
    expect(heading(missing)).toBe(texts.errors.pageNotFound.heading)
  })

  test('errors on the connect page are explained, and Start again keeps ui_locales and login_hint', async () => {
    const own = await testServer()
    try {
      await seed(own.database, { users: [{ id: 'ada' }, { id: 'bob' }] })
      const client = await own.partner()
      const setStatus = (status: 'active' | 'suspended') =>
        setPartnerStatus(own.database, systemOrigin, client.clientId, status)
      const visitor = await loggedIn(own, 'ada')
      const params = { ui_locales: language, login_hint: emailOf('ada') }
      const page = await authorize(visitor, own, client, params)
      const press = () => visitor.submit(page, '/connect', { decision: 'connect' })
      await setStatus('suspended')
      const suspended = await press()
      await setStatus('active')
      const bob = await loggedIn(own, 'bob')
      const { request = '' } = fieldsOf(page, '/connect')
      const bobsPage = await authorize(bob, own, client)
      const differentUser = await bob.submit(bobsPage, '/connect', { request, decision: 'connect' })
      const nonsense = { request: 'x', decision: 'connect' }
      const invalid = await visitor.submit(page, '/connect', nonsense, { 'accept-language': language })
      own.advanceClock(601)
      const expired = await press()

      const shown = { suspended, differentUser, invalid, expired }
      for (const name of ['suspended', 'differentUser', 'invalid', 'expired'] as const) {
        expectLanguage(shown[name], language)
        expect(heading(shown[name])).toBe(texts.connect[name].heading)
        expect(shown[name].document.querySelector('.fault')?.text).toBe(texts.connect[name].text)
      }
      for (const stopped of [differentUser, expired]) {
        const again = new URL(recoveryLink(stopped, texts.connect.startAgain))
        expect(Object.fromEntries(again.searchParams)).toMatchObject(params)
        expectLanguage(await visitor.follow(await visitor.get(again.href)), language)
      }
    } finally {
      await own.close()
    }
  })

  test('an untrusted authorization request is explained, with untranslated parameter names', async () => {
    const queryString = `ui_locales=${language}&${parametersFor(partner, {}, ['redirect_uri'])}`
    const { authorize: authorizeTexts, errors } = texts
    const page = await new Visitor().get(`${server.authUrl}/api/oauth2/authorize?${queryString}`)
    expectLanguage(page, language)
    expect(heading(page)).toBe(authorizeTexts.heading)
    expect(page.document.querySelector('.fault')?.text).toContain(
      authorizeTexts.reasons.missing('redirect_uri'),
    )
    const malformed = await new Visitor().get(`${server.authUrl}/connect?a=%zz`, {
      'accept-language': language,
    })
    expectLanguage(malformed, language)
    expect(heading(malformed)).toBe(errors.malformedRequest)
    const detail = malformed.document.querySelector('.fault [lang=en]')
    expect(detail?.text).toBe('A parameter is not percent-encoded UTF-8.')
  })
})

test('partners get error descriptions in English, regardless of the user’s language', async () => {
  const visitor = await loggedIn(server, 'cleo')
  const page = await authorize(visitor, server, partner, { ui_locales: 'fr' })
  const answer = redirectOf(await visitor.submit(page, '/connect', { decision: 'cancel' }))
  expect(answer?.searchParams.get('error_description')).toBe('The user denied the request.')
})

describe('unusual ui_locales', () => {
  test.each([
    ['of 10 kB', 'x'.repeat(10_000), 'en'],
    ['of 5,000 tags', `${'x '.repeat(5000)}`, 'en'],
    ['of strange characters', '\u202ede \ud83d\ude00 <script> "\' \r\n\t\u0001 \\ es', 'es'],
    ['cut in the middle of a character', `fr ${'\ud83d\ude00'.repeat(60)}`, 'fr'],
    ['with its first tag known', `de ${'x'.repeat(10_000)}`, 'de'],
  ] as const)('%s: no error', async (_name, uiLocales, language) => {
    const visitor = new Visitor()
    const body = parametersFor(partner, { ui_locales: uiLocales })
    const login = await visitor.follow(await visitor.post(`${server.authUrl}/api/oauth2/authorize`, body))
    expect(isLoginPage(login)).toBe(true)
    expectLanguage(login, language)
    expectLanguage(await logIn(visitor, login, 'ada'), language)
  })

  test('sent twice: the partner gets an error, as for any parameter', async () => {
    const query = `${parametersFor(partner)}&ui_locales=de&ui_locales=fr`
    const answer = redirectOf(await new Visitor().get(`${server.authUrl}/api/oauth2/authorize?${query}`))
    expect(answer?.searchParams.get('error_description')).toBe('ui_locales was sent more than once.')
  })
})
