import { foldCase } from '../directory/case-folding.ts'

/** A LIKE pattern that finds `text` literally in a folded name: `%`, `_` and `\` are ordinary characters to the caller. */
export function namePattern(text: string): string {
  return `%${foldCase(text).replaceAll(/[\\%_]/g, '\\$&')}%`
}
