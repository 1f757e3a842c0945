import hljs from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'

/** By the language that a code block names. */
const grammars = { sh: bash, json, python, ts: typescript, html: xml }

for (const [name, grammar] of Object.entries(grammars)) hljs.registerLanguage(name, grammar)

/** @returns HTML. The colours are classes, because the Content Security Policy allows no inline style. */
export function highlight(text: string, language: string): string {
  const known = hljs.getLanguage(language) ? language : 'plaintext'
  return known === 'plaintext' ? escapeHtml(text) : hljs.highlight(text, { language: known }).value
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
