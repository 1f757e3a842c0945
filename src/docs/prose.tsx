import { Marked } from 'marked'
import { escapeHtml } from './highlight.ts'

const marked = new Marked({ renderer: { html: ({ text }) => escapeHtml(text) } })

/** A description from the code, with the inline marks of Markdown. */
export function Prose({ text }: { text: string }) {
  return <span dangerouslySetInnerHTML={{ __html: marked.parseInline(text, { async: false }) }} />
}

/** A longer description, with paragraphs and lists. */
export function Paragraphs({ text }: { text: string }) {
  return <div dangerouslySetInnerHTML={{ __html: marked.parse(text, { async: false }) }} />
}
