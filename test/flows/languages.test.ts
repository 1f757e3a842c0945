import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { setPartnerStatus } from '../../src/partners/partners.sql.ts'
import { chooseTexts, type Language, languages, type Texts } from '../../src/web/languages/languages.ts'
import { emailOf, seed } from '../support/directory.ts'
import { serverFixture } from '../support/fixtures.ts'
import { authorize, logIn } from '../support/journey.ts'
import { wrong } from '../support/login.ts'
import { isConnectPage, isLoginPage, loggedIn, parametersFor, recoveryLink } from '../support/pages.ts'
import { testServer } from '../support/server.ts'
import { fieldsOf, type Page, redirectOf, Visitor } from '../support/visitor.ts'

const server = await serverFixture({ users: ['ada', 'bob', 'cleo'] })
const partner = await server.partner()

const speak = (language: Language): Texts => chooseTexts(language, undefined)
const heading = (page: Page) => page.document.querySelector('h1')?.text.trim()

/** In one language from head to foot, and said so to the browser and to caches. */
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
    ['whatever the case and the region', 'ES-419', undefined, 'es'],
    ['with unknown tags passed over', 'xx-YY zh-Hant-TW de-AT en', undefined, 'de'],
    ['by Accept-Language where no tag is known', 'it pt', 'es', 'es'],
    ['by Accept-Language where ui_locales is empty', '', 'fr', 'fr'],
    ['by the weights of Accept-Language', undefined, 'en;q=0.3, de-CH;q=0.9, fr;q=0.5', 'de'],
    ['by the first of equal weights', undefined, 'it, es, de', 'es'],
    ['without what has the weight 0', undefined, 'de;q=0, fr', 'fr'],
    ['English for *', undefined, '*', 'en'],
    ['English for what we do not speak', 'xx', 'zh, ja', 'en'],
    ['English for a malformed header', undefined, ';;q=x,,=,q=1, "de"', 'en'],
    ['English for an empty header', undefined, '', 'en'],
    ['English where nothing is asked', undefined, undefined, 'en'],
    ['with no prototype in the way', '__proto__ constructor toString de', undefined, 'de'],
  ])('%s', (_name, uiLocales, acceptLanguage, expected) => {
    expect(chooseTexts(uiLocales, acceptLanguage).language).toBe(expected)
  })

  test('whatever is sent, it is one of the four, and that one in whole', () => {
    const tag = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('de', 'fr-CA', '*', ';q=0', 'es;q=2', ',', '-'),
    )
    const asked = fc.option(
      fc.oneof(
        fc.array(tag).map((tags) => tags.join(' ')),
        fc.array(tag).map(String),
      ),
      { nil: undefined },
    )
    fc.assert(
      fc.property(asked, asked, (uiLocales, acceptLanguage) => {
        const { language, ...texts } = chooseTexts(uiLocales, acceptLanguage)
        expect(languages).toContain(language)
        expect(texts).toEqual({ ...speak(language), language: undefined })
      }),
    )
  })
})

describe.each(languages)('a journey in %s', (language) => {
  const texts = speak(language)

  test('ui_locales lasts from authorize over a wrong password to connect, against the browser’s own language', async () => {
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

    const foreign = await visitor.submit(page, '/connect', {}, { origin: 'https://evil.example', ...other })
    const stale = await visitor.submit(page, '/connect', { _csrf: 'x', decision: 'connect' }, other)
    expect([foreign.status, stale.status]).toEqual([403, 403])
    expect([heading(foreign), heading(stale)]).toEqual([
      texts.errors.crossSiteForm.heading,
      texts.errors.staleForm.heading,
    ])
    for (const shown of [foreign, stale]) expectLanguage(shown, language)
    expect(isConnectPage(await visitor.get(recoveryLink(stale, texts.errors.tryAgain)))).toBe(true)
  })

  test('without ui_locales the browser is asked', async () => {
    const asking = { 'accept-language': `xx, ${language};q=0.8, en;q=0.1` }
    const visitor = new Visitor()
    const login = await visitor.get(`${server.authUrl}/login`, asking)
    const refused = await visitor.submit(login, '/login', wrong('bob'), asking)
    const missing = await visitor.get(`${server.authUrl}/no-such-page`, asking)
    for (const page of [login, refused, missing]) expectLanguage(page, language)
    expect(heading(missing)).toBe(texts.errors.pageNotFound.heading)
  })

  test('what stops a connection is told, and Start again asks in the same language and with the same hint', async () => {
    const own = await testServer()
    try {
      await seed(own.database, { users: [{ id: 'ada' }, { id: 'bob' }] })
      const client = await own.partner()
      const setStatus = (status: string) => own.database.one(setPartnerStatus, [client.clientId, status])
      const visitor = await loggedIn(own, 'ada')
      const asked = { ui_locales: language, login_hint: emailOf('ada') }
      const page = await authorize(visitor, own, client, asked)
      const press = () => visitor.submit(page, '/connect', { decision: 'connect' })
      await setStatus('suspended')
      const suspended = await press()
      await setStatus('active')
      const stranger = await loggedIn(own, 'bob')
      const { request = '' } = fieldsOf(page, '/connect')
      const theirs = await authorize(stranger, own, client)
      const differentUser = await stranger.submit(theirs, '/connect', { request, decision: 'connect' })
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
        expect(Object.fromEntries(again.searchParams)).toMatchObject(asked)
        expectLanguage(await visitor.follow(await visitor.get(again.href)), language)
      }
    } finally {
      await own.close()
    }
  })

  test('a request that nobody can trust is explained, its parameters by their own names', async () => {
    const asking = `ui_locales=${language}&${parametersFor(partner, {}, ['redirect_uri'])}`
    const { authorize: said, errors } = texts
    const page = await new Visitor().get(`${server.authUrl}/api/oauth2/authorize?${asking}`)
    expectLanguage(page, language)
    expect(heading(page)).toBe(said.heading)
    expect(page.document.querySelector('.fault')?.text).toContain(said.reasons.missing('redirect_uri'))
    const malformed = await new Visitor().get(`${server.authUrl}/connect?a=%zz`, {
      'accept-language': language,
    })
    expectLanguage(malformed, language)
    expect(heading(malformed)).toBe(errors.malformedRequest)
    const detail = malformed.document.querySelector('.fault [lang=en]')
    expect(detail?.text).toBe('A parameter is not percent-encoded UTF-8.')
  })
})

test('partners are answered in English, whatever the user speaks', async () => {
  const visitor = await loggedIn(server, 'cleo')
  const page = await authorize(visitor, server, partner, { ui_locales: 'fr' })
  const answer = redirectOf(await visitor.submit(page, '/connect', { decision: 'cancel' }))
  expect(answer?.searchParams.get('error_description')).toBe('The user denied the request.')
})

describe('ui_locales that nobody would send', () => {
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

  test('twice: the partner is told, as of any parameter', async () => {
    const query = `${parametersFor(partner)}&ui_locales=de&ui_locales=fr`
    const answer = redirectOf(await new Visitor().get(`${server.authUrl}/api/oauth2/authorize?${query}`))
    expect(answer?.searchParams.get('error_description')).toBe('ui_locales was sent more than once.')
  })
})
