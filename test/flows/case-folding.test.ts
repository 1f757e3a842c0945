import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { foldCase } from '../../src/directory/case-folding.ts'

// foldCase was compared once with Unicode's CaseFolding.txt 17.0 (statuses C and F) over all code points: both treat the same
// texts as equal. These tests hold the properties that follow from this, and cases that are easy to get wrong.

/** Texts of letters with several case forms, marks that normalization reorders, and any other code points. */
const anyText = fc.array(
  fc.oneof(
    fc.constantFrom(...'aAßẞſsKkÅåσςΣıiIİ\u0307\u0301\u0345ΐᾳᾼŉǰꭰᎠ가'),
    fc.string({ unit: 'binary', maxLength: 1 }),
  ),
  { maxLength: 8 },
)

const everyCodePoint = Array.from({ length: 0x110000 }, (_, codePoint) => codePoint)
  .filter((codePoint) => codePoint < 0xd800 || codePoint > 0xdfff)
  .map((codePoint) => String.fromCodePoint(codePoint))

describe('foldCase', () => {
  test.each([
    ['STRASSE', 'straße'],
    ['STRAẞE', 'straße'],
    ['ΟΔΟΣ', 'οδος'], // final sigma
    ['ΟΔΟΣ', 'οδοσ'],
    ['İstanbul', 'i\u0307stanbul'],
    ['ﬁn', 'FIN'],
    ['ŉ', 'ʼN'],
    ['\u212Aelvin', 'kelvin'],
    ['ΐ', 'Ϊ́'],
    ['ᾳ', 'ΑΙ'],
    ['Ꭰ', 'ꭰ'],
    ['ЁЛКА', 'ёлка'],
    ['é', 'E\u0301'],
    ['ſ', 'S'],
    ['ᲐᲑ', 'აბ'],
  ])('%s equals %s after folding', (one, other) => {
    expect(foldCase(one)).toBe(foldCase(other))
  })

  test.each([
    ['ı', 'i'],
    ['ı', 'I'],
    ['İ', 'i'],
    ['é', 'e'],
    ['ö', 'oe'],
    ['ア', 'あ'],
    ['が', 'か'],
  ])('%s differs from %s after folding', (one, other) => {
    expect(foldCase(one)).not.toBe(foldCase(other))
  })

  test('a text still contains its beginning after folding, even if the beginning ends in a final sigma', () => {
    expect(foldCase('ΟΔΟΣΑΝ')).toContain(foldCase('ΟΔΟΣ'))
  })

  test('a letter with a combining mark does not contain the letter without it', () => {
    expect(foldCase('MU\u0308LLER')).not.toContain(foldCase('mu'))
  })

  test('every character equals its uppercase form, except ı', () => {
    const wrong = everyCodePoint.filter((char) => foldCase(char) !== foldCase(char.toUpperCase()))
    expect(wrong).toEqual(['ı'])
  })

  test('every character equals its lowercase form', () => {
    expect(everyCodePoint.filter((char) => foldCase(char) !== foldCase(char.toLowerCase()))).toEqual([])
  })

  test('folding is idempotent and does not depend on Unicode normalization', () => {
    fc.assert(
      fc.property(anyText, (chars) => {
        const text = chars.join('')
        expect(foldCase(foldCase(text))).toBe(foldCase(text))
        expect(foldCase(text.normalize('NFD'))).toBe(foldCase(text))
        expect(foldCase(text.normalize('NFC'))).toBe(foldCase(text))
      }),
      { numRuns: 2000 },
    )
  })
})
