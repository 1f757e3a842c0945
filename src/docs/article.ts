import { Marked, type RendererObject, type Token, type Tokens } from 'marked'
import { escapeHtml } from './highlight.ts'

/** The languages between which a reader switches, by the name that a code block has for each. */
export const tabs = { sh: 'curl', python: 'Python', ts: 'TypeScript' } as const
export type Tab = keyof typeof tabs

/** A code block. `tab` says for which language it is shown. Without it, the block is shown for all. */
export type Sample = {
  language: string
  text: string
  tab?: Tab
  /** The caption. By default the file or the language. */
  label?: string
  /** The file that the reader saves the block in. */
  file?: string
  /** The block is an illustration. The test that runs a guide leaves it out. */
  skip?: true
}

/** Text and the code that belongs to it. On a wide screen the code is to the right of the text. */
export type Step = { html: string; samples: Sample[] }

export type Heading = { id: string; text: string }

/** What the search finds: a heading of the second level, and the text up to the next. */
export type Section = Heading & { content: string }

export type Article = {
  title: string
  summary: string
  steps: Step[]
  headings: Heading[]
  sections: Section[]
}

/**
 * Reads the Markdown of a guide. Its first heading is the title, its first paragraph the summary.
 * @param pathOf the address of another guide, to which a link such as `refreshing.md` leads
 */
export function readArticle(markdown: string, pathOf: (slug: string) => string): Article {
  const marked = new Marked({ renderer: renderer(pathOf) })
  const tokens = marked.lexer(markdown)
  const [first, ...rest] = tokens.filter(({ type }) => type !== 'space')
  if (first?.type !== 'heading') throw new Error('a guide begins with its title')
  const steps: Step[] = []
  for (const token of rest) {
    let step = steps.at(-1)
    const isSection = token.type === 'heading' && token.depth === 2
    if (!step || isSection || (token.type !== 'code' && step.samples.length > 0)) {
      step = { html: '', samples: [] }
      steps.push(step)
    }
    if (isCode(token)) step.samples.push(sampleOf(token))
    else step.html += marked.parser([token])
  }
  const sections = sectionsOf(first.text, rest)
  return {
    title: first.text,
    summary: plainText(rest.find(({ type }) => type === 'paragraph')?.raw ?? ''),
    steps,
    headings: sections.slice(1).map(({ id, text }) => ({ id, text })),
    sections,
  }
}

function idOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
}

function isCode(token: Token): token is Tokens.Code {
  return token.type === 'code'
}

/** Reads what is behind the language: ```` ```sh for=python file=app.py skip ````. */
function sampleOf({ lang = '', text }: Tokens.Code): Sample {
  const [language = '', ...words] = lang.split(' ')
  const optionOf = (name: string) => words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1)
  const tab = optionOf('for') ?? (words.includes('alone') ? undefined : language)
  const file = optionOf('file')
  return {
    language,
    text,
    ...(isTab(tab) && { tab }),
    ...(file && { file }),
    ...(words.includes('skip') && { skip: true }),
  }
}

export function isTab(name: string | undefined): name is Tab {
  return name !== undefined && Object.hasOwn(tabs, name)
}

/** The first section is the text before the first heading. Its id is empty. */
function sectionsOf(title: string, tokens: Token[]): Section[] {
  const sections: Section[] = [{ id: '', text: title, content: '' }]
  for (const token of tokens) {
    if (token.type === 'heading' && token.depth === 2) {
      const text = plainText(token.text)
      sections.push({ id: idOf(text), text, content: '' })
    } else {
      const section = sections.at(-1)
      if (section) section.content += ` ${plainText(token.raw)}`
    }
  }
  return sections
}

function plainText(markdown: string): string {
  return markdown
    .replace(/^```.*$/gm, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\|[-| ]+\|/g, ' ')
    .replace(/[`*]/g, '')
    .replace(/[|#]|^>/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

function renderer(pathOf: (slug: string) => string): RendererObject {
  return {
    heading({ tokens, depth }) {
      const id = idOf(this.parser.parseInline(tokens, this.parser.textRenderer))
      return `<h${depth} id="${id}"><a href="#${id}">${this.parser.parseInline(tokens)}</a></h${depth}>`
    },
    link({ href, tokens }) {
      const [, slug, anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? []
      const target = slug === undefined ? href : pathOf(slug) + anchor
      return `<a href="${escapeHtml(target)}">${this.parser.parseInline(tokens)}</a>`
    },
    // On a phone, each row becomes a card. Its cells then show the column's title.
    table({ header, rows }) {
      const titles = header.map(({ tokens }) => this.parser.parseInline(tokens))
      const labels = header.map(({ tokens }) => this.parser.parseInline(tokens, this.parser.textRenderer))
      const cell = ({ tokens }: Tokens.TableCell, column: number) =>
        `<td data-label="${escapeHtml(labels[column] ?? '')}"><div>${this.parser.parseInline(tokens)}</div></td>`
      const head = titles.map((title) => `<th scope="col">${title}</th>`).join('')
      const body = rows.map((row) => `<tr>${row.map(cell).join('')}</tr>`).join('')
      return `<table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`
    },
    // In a table, only long code may break, so that a name such as `invalid_parameter` stays in one piece.
    codespan({ text }) {
      return `<code${text.length > 28 ? '' : ' class="short"'}>${escapeHtml(text)}</code>`
    },
    // A list to go through, not a form.
    checkbox() {
      return '<span class="box" aria-hidden="true">☐</span> '
    },
    html({ text }) {
      return escapeHtml(text)
    },
  }
}
