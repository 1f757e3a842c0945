/**
 * Format characters (Unicode category Cf), line and paragraph separators, and invisible letters (Hangul fillers). In a name
 * on a page they can reorder or hide the text around them. For example, `Nice Bank` followed by U+2069 U+202E reverses the
 * host name after it. Control characters (Cc) cannot do this and are allowed in free text.
 */
export const invisible = /[\p{Cf}\u2028\u2029\u115f\u1160\u3164\uffa0]/u

/**
 * The format characters that names need: ZERO WIDTH NON-JOINER and ZERO WIDTH JOINER after a letter or mark of a script in
 * which they change how letters join (based on Unicode UAX 31, section 2.3), and the joiner between the parts of an emoji.
 */
const joiningScripts = ['Arab Syrc Mong Deva Beng Guru Gujr Orya', 'Taml Telu Knda Mlym Sinh Khmr Mymr Tibt']
  .flatMap((scripts) => scripts.split(' '))
  .map((script) => `\\p{Script=${script}}`)
const joinersInPlace = new RegExp(
  `(?<=[${joiningScripts.join('')}])[\u200c\u200d]` +
    '|(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\ufe0f])\u200d(?=\\p{Extended_Pictographic})',
  'gu',
)

/** Refuses invisible and direction-changing characters, because a page may show the text. */
export const checkVisible = (text: string): string | null => {
  const found = invisible.test(text) && invisible.exec(text.replace(joinersInPlace, ''))
  return found
    ? `contains the invisible or direction-changing character ${codePointOf(found[0])}; remove it`
    : null
}

function codePointOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}

/** Quotes a value for a message: short, on one line, and without invisible or direction-changing characters. */
export function quoted(text: string): string {
  const short = text.length > 80 ? `${text.slice(0, 80)}…` : text
  return JSON.stringify(short).replace(new RegExp(invisible, 'gu'), codePointOf)
}
