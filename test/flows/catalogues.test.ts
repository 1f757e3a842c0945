import { parse } from 'node-html-parser'
import { isValidElement } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { describe, expect, test } from 'vitest'
import { type Catalogue, en } from '../../src/web/languages/en/catalogue.ts'
import { chooseTexts, type Language, languages } from '../../src/web/languages/languages.ts'

// The linter finds literal text outside the catalogues: noJsxLiterals in biome.json.

type RenderedText = { html: string; text: string; markers: string[] }

/** Each number marks a value that is inserted into a text: a name, an address, a count. */
const markers = [7101, 7102, 7103]

/** Every text of a catalogue by its path. A text with placeholders is rendered with a marker in each placeholder. */
function textsIn(value: unknown, path = ''): Map<string, RenderedText> {
  if (typeof value === 'string') return new Map([[path, render(value, [])]])
  if (typeof value === 'function') {
    const inserted = markers.slice(0, value.length)
    return new Map([[path, render(Reflect.apply(value, undefined, inserted), inserted)]])
  }
  if (typeof value !== 'object' || value === null) throw new Error(`${path} is not a text`)
  return new Map(Object.entries(value).flatMap(([key, part]) => [...textsIn(part, `${path}.${key}`)]))
}

function render(value: unknown, inserted: number[]): RenderedText {
  const html = isValidElement(value) ? renderToString(value) : String(value)
  return { html, text: parse(html).text, markers: inserted.map(String) }
}

function catalogue(language: Language): Map<string, RenderedText> {
  const { language: chosen, ...texts } = chooseTexts(language, undefined)
  expect(chosen).toBe(language)
  return textsIn(texts satisfies Catalogue)
}

/** Correct translations that equal the English text. */
const sameAsInEnglish = new Set([
  // Common words in German.
  'de .frame.sandbox',
  'de .frame.status',
  'de .connections.app',
  // The same words in French.
  'fr .connections.site',
  'fr .sessions.heading',
  // The names of the thing, and of the field.
  'de .security.passkeys',
  'de .security.passkeyName',
  'de .security.unnamed',
])

const english = textsIn(en)
const translations = languages.filter((language) => language !== 'en')

test('the English catalogue has texts, and some of them have several placeholders', () => {
  expect(english.size).toBeGreaterThan(40)
  expect([...english.values()].some((rendered) => rendered.markers.length > 1)).toBe(true)
})

describe.each(translations)('%s', (language) => {
  const texts = catalogue(language)

  test('has exactly the texts that English has', () => {
    expect([...texts.keys()].toSorted()).toEqual([...english.keys()].toSorted())
  })

  test('has no untranslated text', () => {
    const untranslated = [...texts]
      .filter(([path, { text }]) => text === english.get(path)?.text)
      .map(([path]) => `${language} ${path}`)
    expect(untranslated.filter((name) => !sameAsInEnglish.has(name))).toEqual([])
  })

  test('has the same placeholders and links as English', () => {
    for (const [path, rendered] of texts) {
      const tags = ({ html }: RenderedText) =>
        parse(html)
          .querySelectorAll('*')
          .map((element) => element.tagName)
      const original = english.get(path)
      expect.soft(rendered.markers, path).toEqual(original?.markers)
      expect.soft(tags(rendered), path).toEqual(original && tags(original))
    }
  })
})

describe.each(languages)('%s', (language) => {
  const texts = [...catalogue(language)]

  test('has no empty text and uses every placeholder', () => {
    for (const [path, { html, text, markers: inserted }] of texts) {
      expect.soft(text.trim().length, path).toBeGreaterThan(1)
      expect.soft(text, path).toBe(text.trim())
      for (const marker of inserted) expect.soft(html, path).toContain(marker)
      expect.soft(html, path).not.toMatch(/undefined|null|NaN|\[object/)
    }
  })

  test('never names Latchkey: users know the platform', () => {
    for (const [path, { html }] of texts) expect.soft(html, path).not.toMatch(/latchkey/i)
  })

  test('follows the punctuation rules of its language', () => {
    const wrong: Record<Language, RegExp> = {
      en: /['"]| [;:?!]/,
      de: /['"]| [;:?!]|[«»]|„[^“]*$/,
      // French has a no-break space before ; ! ? : » and after «.
      fr: /['"]|[^\u202f][;?!]|[^\u00a0]:|[^\u00a0]»|«[^\u00a0]/,
      es: /['"]| [;:?!]|^[^¿]*\?|^[^¡]*!|[„“”]/,
    }
    for (const [path, { text }] of texts) expect.soft(text, path).not.toMatch(wrong[language])
  })

  test('uses the singular and the plural of minute', () => {
    const minute: Record<Language, [RegExp, RegExp]> = {
      en: [/ 1 minute\.$/, / 2 minutes\.$/],
      de: [/ 1 Minute /, / 2 Minuten /],
      fr: [/ 1 minute\.$/, / 2 minutes\.$/],
      es: [/ 1 minuto\.$/, / 2 minutos\.$/],
    }
    const { throttled } = chooseTexts(language, undefined).login
    expect(throttled(1)).toMatch(minute[language][0])
    expect(throttled(2)).toMatch(minute[language][1])
  })
})
