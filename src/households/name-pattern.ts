import { foldCase } from '../directory/case-folding.ts'

/** Maximum length of a search text, in characters. */
export const longestPattern = 256

/**
 * Builds the values that find a text literally in a folded name: a LIKE pattern, and the tsquery of its grams. `%`, `_` and
 * `\` in the text have no special meaning.
 */
export function searchValues(text: string): [like: string, grams: string] {
  const folded = foldCase(text)
  return [`%${folded.replaceAll(/[\\%_]/g, '\\$&')}%`, gramsOf(folded)]
}

/**
 * The tsquery of the lexemes that `name_grams` (migration 0009) creates for every name that contains this text, with U+FFFF
 * instead of the firm's id. A lexeme has three characters. A shorter text matches the start of a lexeme.
 */
function gramsOf(folded: string): string {
  const characters = [...folded.replaceAll('\uffff', '\ufffd')]
  const lexeme = (gram: string) => `'\uffff|${gram.replaceAll(/['\\]/g, '$&$&')}'`
  if (characters.length < 3) return `${lexeme(characters.join(''))}:*`
  const grams = characters.slice(2).map((_, i) => characters.slice(i, i + 3).join(''))
  return [...new Set(grams)].map(lexeme).join(' & ')
}
