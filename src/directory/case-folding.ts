/**
 * Folds the case of a text. Two texts have the same result exactly if they are a canonical caseless match (full case
 * folding; The Unicode Standard 3.13, D145). For example, `STRASSE` equals `straße`, but Turkish ı does not equal i. The
 * result is in NFC.
 *
 * Folds each code point separately: in a whole text, JavaScript would turn the last Σ of `ΟΔΟΣ` into ς, but the same Σ in
 * `ΟΔΟΣΑ` into σ. The order is lower, upper, lower, because ẞ must become ß before both become ss.
 */
export function foldCase(text: string): string {
  if (isAscii(text)) return text.toLowerCase()
  let folded = ''
  for (const char of text.normalize('NFD')) {
    folded += char === 'ı' ? char : char.toLowerCase().toUpperCase().toLowerCase()
  }
  return folded.normalize('NFC')
}

function isAscii(text: string): boolean {
  return /^\p{ASCII}*$/u.test(text)
}
