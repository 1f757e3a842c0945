import { readFileSync, writeFileSync } from 'node:fs'
import { chart } from './chart.tsx'
import { isMeasured, type Verdict } from './goal.ts'
import { goalTable, type Summarized, summaryTable } from './summary.ts'

const page = 'docs/performance.md'
const picture = 'performance.svg'
const results = 'test/bench/results.md'
const begins = {
  figures: '<!-- npm run bench writes from here -->',
  goals: '<!-- npm run bench writes the goals from here -->',
}
const end = '<!-- to here -->'

export type Figures = {
  /** One line about the run: machine, versions, effort. */
  about: string
  /** All tables, in Markdown. */
  tables: string
  summary: Summarized[]
  goals: (Verdict & { households: number })[]
}

/** Writes all tables to results.md, and the chart, the summary and the goals into docs/performance.md. */
export function writePages({ about, tables, summary, goals }: Figures): void {
  const image = `![Each measured goal, and by how much it was met or missed](${picture})`
  const written = [image, about, summaryTable(summary)].join('\n\n')
  const text = replaced(readFileSync(page, 'utf8'), begins.figures, written)
  writeFileSync(page, replaced(text, begins.goals, goalTable(goals)))
  writeFileSync(`docs/${picture}`, `${chart(goals.filter(isMeasured))}\n`)
  writeFileSync(results, `${header}\n\n${about}\n\n${tables.trim()}\n`)
}

/** Replaces what is between the comment and the next `end`. */
function replaced(text: string, begin: string, content: string): string {
  const [before, rest] = text.split(begin)
  const [, ...after] = rest?.split(end) ?? []
  if (after.length === 0) throw new Error(`${page} has no place for the figures: ${begin} … ${end}`)
  return `${before}${[begin, content, end].join('\n\n')}${after.join(end)}`
}

const header = `# Bench results

Written by \`npm run bench -- --write\`; do not edit. [docs/performance.md](../../docs/performance.md) has the summary and
explains the figures.`
