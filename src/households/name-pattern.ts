import { foldCase } from '../directory/case-folding.ts'

/** Characters of a text to be looked for. */
export const longestPattern = 256

/**
 * What finds a text literally in a folded name: the LIKE pattern, and the tsquery of its grams. `%`, `_` and `\` are
 * ordinary characters to the caller.
 */
export function searchedFor(text: string): [like: string, grams: string] {
  const folded = foldCase(text)
  return [`%${folded.replaceAll(/[\\%_]/g, '\\$&')}%`, gramsOf(folded)]
}

/**
 * The tsquery of the lexemes that `name_grams` (migration 0009) gives for every name with this text in it, with U+FFFF
 * in the place of the firm's id: each three characters, or the beginning of a lexeme where there are fewer.
 */
function gramsOf(folded: string): string {
  const characters = [...folded.replaceAll('\uffff', '\ufffd')]
  const lexeme = (gram: string) => `'\uffff|${gram.replaceAll(/['\\]/g, '$&$&')}'`
  if (characters.length < 3) return `${lexeme(characters.join(''))}:*`
  const grams = characters.slice(2).map((_, i) => characters.slice(i, i + 3).join(''))
  return [...new Set(grams)].map(lexeme).join(' & ')
}
