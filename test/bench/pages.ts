import { readFileSync, writeFileSync } from 'node:fs'
import { chart } from './chart.tsx'
import type { Verdict } from './goal.ts'
import { type Summarized, summaryTable } from './summary.ts'

const page = 'docs/performance.md'
const picture = 'performance.svg'
const results = 'test/bench/results.md'
const [begin, end] = ['<!-- npm run bench writes from here -->', '<!-- to here -->']

export type Figures = {
  /** One line about the run: machine, versions, effort. */
  about: string
  /** All tables, in Markdown. */
  tables: string
  summary: Summarized[]
  charted: (Verdict & { households: number })[]
}

/** Writes all tables to results.md, and the chart and the summary table into docs/performance.md. */
export function writePages({ about, tables, summary, charted }: Figures): void {
  const [before, rest] = readFileSync(page, 'utf8').split(begin)
  const after = rest?.split(end)[1]
  if (after === undefined) throw new Error(`${page} has no place for the figures: ${begin} … ${end}`)
  const image = `![Each goal, and by how much it was met or missed](${picture})`
  const written = [begin, image, about, summaryTable(summary), end].join('\n\n')
  writeFileSync(page, `${before}${written}${after}`)
  writeFileSync(`docs/${picture}`, `${chart(charted)}\n`)
  writeFileSync(results, `${header}\n\n${about}\n\n${tables.trim()}\n`)
}

const header = `# Bench results

Written by \`npm run bench -- --write\`; do not edit. [docs/performance.md](../../docs/performance.md) has the summary and
explains the figures.`
