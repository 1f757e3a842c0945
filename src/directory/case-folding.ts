/**
 * Text made comparable without regard to case: two texts give the same result exactly where Unicode's canonical
 * caseless match says that they are equal (full case folding; The Unicode Standard 3.13, D145), so `STRASSE` is
 * `straße`. Turkish ı is not i. The result is in NFC.
 *
 * Code point by code point: of a whole text JavaScript would make `ΟΔΟΣ` end in ς but the pattern `ΟΔΟΣΑ` go on
 * with σ. Lower, upper, lower again, because ẞ must meet ß before both become ss.
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
