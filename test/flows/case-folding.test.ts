import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { foldCase } from '../../src/directory/case-folding.ts'

// Against Unicode's CaseFolding.txt 17.0 (C + F) this was compared once, over all code points: the same texts are equal.
// Here stand the properties that follow from it, and the cases one would get wrong.

/** Texts of letters with several cases, marks that move, and anything at all. */
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
  ])('%s is %s', (one, other) => {
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
  ])('%s is not %s', (one, other) => {
    expect(foldCase(one)).not.toBe(foldCase(other))
  })

  test('a text that holds another still does when both are folded, though the other ends in a sigma', () => {
    expect(foldCase('ΟΔΟΣΑΝ')).toContain(foldCase('ΟΔΟΣ'))
  })

  test('a letter is not within the same letter with a mark', () => {
    expect(foldCase('MU\u0308LLER')).not.toContain(foldCase('mu'))
  })

  test('every character is its own capital, save ı', () => {
    const wrong = everyCodePoint.filter((char) => foldCase(char) !== foldCase(char.toUpperCase()))
    expect(wrong).toEqual(['ı'])
  })

  test('every character is its own small letter', () => {
    expect(everyCodePoint.filter((char) => foldCase(char) !== foldCase(char.toLowerCase()))).toEqual([])
  })

  test('folding again changes nothing, and composed or not makes no difference', () => {
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
