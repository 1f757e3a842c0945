import { parse } from 'node-html-parser'
import { isValidElement } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { describe, expect, test } from 'vitest'
import { type Catalogue, en } from '../../src/web/languages/en.tsx'
import { chooseTexts, type Language, languages } from '../../src/web/languages/languages.ts'

// Literal text beside the catalogues is found by the linter: noJsxLiterals in biome.json.

type Said = { html: string; text: string; markers: string[] }

/** A number stands for anything that is put into a text: a name, an address, a count. */
const markers = [7101, 7102, 7103]

/** Every text of a catalogue by its path; one with gaps is said with a marker in each of them. */
function textsIn(value: unknown, path = ''): Map<string, Said> {
  if (typeof value === 'string') return new Map([[path, say(value, [])]])
  if (typeof value === 'function') {
    const given = markers.slice(0, value.length)
    return new Map([[path, say(Reflect.apply(value, undefined, given), given)]])
  }
  if (typeof value !== 'object' || value === null) throw new Error(`${path} is no text`)
  return new Map(Object.entries(value).flatMap(([key, part]) => [...textsIn(part, `${path}.${key}`)]))
}

function say(said: unknown, given: number[]): Said {
  const html = isValidElement(said) ? renderToString(said) : String(said)
  return { html, text: parse(html).text, markers: given.map(String) }
}

function catalogue(language: Language): Map<string, Said> {
  const { language: spoken, ...texts } = chooseTexts(language, undefined)
  expect(spoken).toBe(language)
  return textsIn(texts satisfies Catalogue)
}

/** Texts that are right though they are what English says. */
const sameAsInEnglish = new Set([
  // Common words in German.
  'de .frame.sandbox',
  'de .connections.app',
  // The same words in French.
  'fr .connections.site',
  'fr .sessions.heading',
])

const english = textsIn(en)
const foreign = languages.filter((language) => language !== 'en')

test('the texts are there, and those with gaps are said with something in them', () => {
  expect(english.size).toBeGreaterThan(40)
  expect([...english.values()].some((said) => said.markers.length > 1)).toBe(true)
})

describe.each(foreign)('%s', (language) => {
  const texts = catalogue(language)

  test('has every text that English has, and no other', () => {
    expect([...texts.keys()].toSorted()).toEqual([...english.keys()].toSorted())
  })

  test('says nothing in English', () => {
    const untranslated = [...texts]
      .filter(([path, { text }]) => text === english.get(path)?.text)
      .map(([path]) => `${language} ${path}`)
    expect(untranslated.filter((name) => !sameAsInEnglish.has(name))).toEqual([])
  })

  test('has the same gaps and links', () => {
    for (const [path, said] of texts) {
      const tags = ({ html }: Said) =>
        parse(html)
          .querySelectorAll('*')
          .map((element) => element.tagName)
      const original = english.get(path)
      expect.soft(said.markers, path).toEqual(original?.markers)
      expect.soft(tags(said), path).toEqual(original && tags(original))
    }
  })
})

describe.each(languages)('%s', (language) => {
  const texts = [...catalogue(language)]

  test('leaves nothing empty, and no gap out', () => {
    for (const [path, { html, text, markers: given }] of texts) {
      expect.soft(text.trim().length, path).toBeGreaterThan(1)
      expect.soft(text, path).toBe(text.trim())
      for (const marker of given) expect.soft(html, path).toContain(marker)
      expect.soft(html, path).not.toMatch(/undefined|null|NaN|\[object/)
    }
  })

  test('is typeset by the rules of its language', () => {
    const wrong: Record<Language, RegExp> = {
      en: /['"]| [;:?!]/,
      de: /['"]| [;:?!]|[«»]|„[^“]*$/,
      // A space that does not break before ; ! ? : » and after «, and before nothing else.
      fr: /['"]|[^\u202f][;?!]|[^\u00a0]:|[^\u00a0]»|«[^\u00a0]/,
      es: /['"]| [;:?!]|^[^¿]*\?|^[^¡]*!|[„“”]/,
    }
    for (const [path, { text }] of texts) expect.soft(text, path).not.toMatch(wrong[language])
  })

  test('counts one minute and several', () => {
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
