// Compares identifiers, comments, strings and documentation with the table of terms in docs/style.md. Prints each term to avoid
// and what to use instead, and fails if it finds any.
// Usage: node scripts/check-terms.mjs [root of the project]
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = resolve(process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url)))
const stylePage = 'docs/style.md'

/** The style page lists the terms; the contract is quoted word for word. */
const excluded = [stylePage, 'docs/contract.md']

const places = ['names', 'names, not fields', 'text', 'review']

/** An attribute of SVG, which has no other name. */
const foreignNames = ['viewBox']

/** Replaces text that must not match: neither white space nor part of a word. */
const opaque = '\u0001'

/** @returns one entry for each spelling in the table: `avoid`, what to `use`, and its `place` */
function readTerms() {
  const lines = readFileSync(join(root, stylePage), 'utf8').split('\n')
  const header = lines.findIndex((line) => /^\| *Avoid *\| *Use *\| *Where *\|/.test(line))
  if (header < 0) throw new Error(`${stylePage} has no table with the header "| Avoid | Use | Where |"`)
  const terms = []
  for (let index = header + 2; lines[index]?.startsWith('|'); index++) {
    const [avoid = '', use = '', place = ''] = lines[index]
      .split('|')
      .slice(1)
      .map((cell) => cell.trim())
    const spellings = [...avoid.matchAll(/`([^`]+)`/g)].map(([, spelling]) => spelling)
    if (!places.includes(place) || use === '' || (spellings.length === 0 && place !== 'review')) {
      const expected = `a term in backticks, what to use, and one of: ${places.join('; ')}`
      throw new Error(`${stylePage}:${index + 1}: invalid row; expected ${expected}`)
    }
    terms.push(...spellings.map((spelling) => ({ avoid: spelling, use, place })))
  }
  return terms
}

const lexer = {
  comment: /\/\*[\s\S]*?\*\/|\/\/.*/y,
  string: /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/y,
  template: /[`}](?:\\[\s\S]|[^`\\$]|\$(?!\{))*(?:`|\$\{)/y,
  regex: /\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y,
  /** Text after a tag, or between an expression and a closing tag. */
  jsx: /(?<=[\w"'}/<]>)(?!\s*[,)\]])[^<>{}()`=;]+(?=[<{])|(?<=\})[^<>{}`=;]+(?=<\/)/y,
  code: /[\w$]+|[\s\S]/y,
}

/**
 * Separates a TypeScript file into `code` and `text` (comments, strings, JSX text). Both are as long as the source and have the
 * same line breaks, so that a match tells its line.
 */
function separate(source, isJsx) {
  let code = ''
  let text = ''
  const depths = [] // for each template literal whose expression is open: the braces open in that expression
  for (let at = 0; at < source.length; ) {
    const kind = kindAt(source, at, { before: code, isJsx, endsExpression: depths.at(-1) === 0 })
    const part = matchAt(lexer[kind], source, at) ?? source[at]
    if (kind === 'template') {
      if (part[0] === '}') depths.pop()
      if (part.endsWith('${')) depths.push(0)
    } else if (kind === 'code' && depths.length > 0) {
      if (part === '{') depths.push(depths.pop() + 1)
      if (part === '}') depths.push(depths.pop() - 1)
    }
    code += kind === 'code' ? part : blank(part)
    text += kind === 'code' ? part.replaceAll('+', ' ').replaceAll(/\S/g, opaque) : prose(kind, part)
    at += part.length
  }
  return { code, text }
}

function kindAt(source, at, { before, isJsx, endsExpression }) {
  if (source[at] === '`' || (source[at] === '}' && endsExpression)) return 'template'
  const maybeRegex = /(^|[([{,;=:!&|?+*~^>%-]|\b(return|typeof|case))$/.test(before.trimEnd())
  const kinds = ['comment', 'string', ...(maybeRegex ? ['regex'] : []), ...(isJsx ? ['jsx'] : [])]
  return kinds.find((kind) => matchAt(lexer[kind], source, at) !== undefined) ?? 'code'
}

function matchAt(pattern, source, at) {
  pattern.lastIndex = at
  return pattern.exec(source)?.[0]
}

/**
 * The words of a comment, string or JSX text. Delimiters become white space: a phrase may continue in the next line or string.
 */
function prose(kind, part) {
  switch (kind) {
    case 'comment':
      return withoutCodeSpans(part.replaceAll(/^\/\*+|^\/\/+|\*\/$|^[ \t]*\*+/gm, blank))
    case 'regex':
      return hide(part)
    case 'string':
      // A string without white space is a value: a name, a code, a path.
      return /\s/.test(part) ? withoutCodeSpans(part.replaceAll(/^['"]|['"]$/g, ' ')) : hide(part)
    default:
      return part.replaceAll(/^[`}]|`$|\$\{$/g, blank)
  }
}

function markdownText(source) {
  return withoutCodeSpans(source.replaceAll(/^ *```[\s\S]*?^ *```/gm, hide))
}

function withoutCodeSpans(text) {
  return text.replaceAll(/`[^`]+`/g, hide)
}

function hide(text) {
  return text.replaceAll(/\S/g, opaque)
}

function blank(text) {
  return text.replaceAll(/\S/g, ' ')
}

/** `ClientStanding`, `client_standing` and `clientStanding` are the words "client standing". */
function wordsOf(identifier) {
  return (identifier.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? []).join(' ').toLowerCase()
}

function findNames(code, terms) {
  const found = []
  for (const { 0: identifier, index } of code.matchAll(/[A-Za-z_$][\w$]*/g)) {
    if (foreignNames.includes(identifier)) continue
    const words = ` ${wordsOf(identifier)} `
    const isField =
      /\.\s*$/.test(code.slice(0, index)) ||
      (/^\s*\??:/.test(code.slice(index + identifier.length)) &&
        !/\b(const|let|var)\s+$/.test(code.slice(0, index)))
    for (const term of terms) {
      if (!words.includes(` ${wordsOf(term.avoid)} `)) continue
      if (term.place === 'names, not fields' && isField && identifier === term.avoid) continue
      found.push({ index, spelling: identifier, term })
    }
  }
  return found
}

function findPhrases(text, terms) {
  return terms.flatMap((term) => {
    const pattern = new RegExp(`(?<![\\w-])${term.avoid.replaceAll(' ', '\\s+')}(?![\\w-])`, 'gi')
    return [...text.matchAll(pattern)].map(({ 0: found, index }) => ({
      index,
      spelling: found.replaceAll(/\s+/g, ' '),
      term,
    }))
  })
}

function filesBelow(directory, pattern) {
  if (!existsSync(join(root, directory))) return []
  return readdirSync(join(root, directory), { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name).replaceAll('\\', '/'))
    .filter((path) => pattern.test(path) && !excluded.includes(path))
    .toSorted()
}

function checkFile(path, terms) {
  const source = readFileSync(join(root, path), 'utf8')
  const phrases = terms.filter(({ place }) => place === 'text')
  const names = terms.filter(({ place }) => place.startsWith('names'))
  const { code, text } = path.endsWith('.md')
    ? { code: '', text: markdownText(source) }
    : separate(source, path.endsWith('.tsx'))
  return [...findNames(code, names), ...findPhrases(text, phrases)]
    .sort((a, b) => a.index - b.index)
    .map((violation) => ({ ...violation, line: source.slice(0, violation.index).split('\n').length }))
}

const terms = readTerms()
const pages = readdirSync(root).filter((name) => name.endsWith('.md'))
const files = [...filesBelow('src', /\.tsx?$/), ...filesBelow('docs', /\.md$/), ...pages]
const counts = { src: 0, documentation: 0 }
for (const path of files) {
  for (const { line, spelling, term } of checkFile(path, terms)) {
    counts[path.startsWith('src/') ? 'src' : 'documentation']++
    process.stdout.write(`${path}:${line}: "${spelling}": use ${term.use}\n`)
  }
}
process.stdout.write(
  `Terms to avoid (${stylePage}): ${counts.src} in src, ${counts.documentation} in documentation\n`,
)
process.exitCode = counts.src + counts.documentation > 0 ? 1 : 0
