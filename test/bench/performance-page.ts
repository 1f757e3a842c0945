import { readFileSync, writeFileSync } from 'node:fs'

const file = 'docs/performance.md'
const picture = 'performance.svg'
const [begin, end] = ['<!-- npm run bench writes from here -->', '<!-- to here -->']

/** Puts the figures into docs/performance.md, between the words that people wrote, and the chart beside it. */
export function writePage(figures: string, chart: string): void {
  const page = readFileSync(file, 'utf8')
  const [before, rest] = page.split(begin)
  const after = rest?.split(end)[1]
  if (after === undefined) throw new Error(`${file} has no place for the figures: ${begin} … ${end}`)
  const image = `![Each goal, and how far each was met or missed; the tables below have the figures](${picture})`
  writeFileSync(file, `${before}${begin}\n\n${image}\n\n${figures.trim()}\n\n${end}${after}`)
  writeFileSync(`docs/${picture}`, `${chart}\n`)
}
