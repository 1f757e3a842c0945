import { readFileSync, writeFileSync } from 'node:fs'

const file = 'docs/performance.md'
const [begin, end] = ['<!-- npm run bench writes from here -->', '<!-- to here -->']

/** Puts the figures into docs/performance.md, between the words that people wrote. */
export function writePage(figures: string): void {
  const page = readFileSync(file, 'utf8')
  const [before, rest] = page.split(begin)
  const after = rest?.split(end)[1]
  if (after === undefined) throw new Error(`${file} has no place for the figures: ${begin} … ${end}`)
  writeFileSync(file, `${before}${begin}\n\n${figures.trim()}\n\n${end}${after}`)
}
