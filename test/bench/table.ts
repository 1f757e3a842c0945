import type { Sample } from './compare.ts'
import { isMeasured, isMet, type Limit, type Unit, unitOf, type Verdict, whyNotMeasured } from './goal.ts'
import type { SummaryLine } from './summary.ts'

/** One table of a bench. `note` explains in a sentence or two how to read it. */
export type Table = {
  title: string
  note: string
  columns: string[]
  rows: string[][]
  verdicts?: Verdict[]
  /** The medians of each row, for comparisons across sizes. */
  medians?: Map<string, Sample>
  /** Its rows of the summary table. */
  summary?: SummaryLine[]
}

/** Aligned Markdown, which also reads well on a terminal. */
export function format({ title, note, columns, rows, verdicts = [] }: Table): string {
  const goals = verdicts.map((verdict) => [
    verdict.goal,
    limitText(verdict.limit),
    measuredText(verdict),
    outcome(verdict),
  ])
  const decided = goals.length > 0 ? [...grid(['goal', 'limit', 'measured', ''], goals), ''] : []
  return [`### ${title}`, '', note, '', ...grid(columns, rows), '', ...decided].join('\n')
}

function outcome(verdict: Verdict): string {
  if (!isMeasured(verdict)) return whyNotMeasured(verdict)
  return isMet(verdict) ? 'met' : '**not met**'
}

export function grid(columns: string[], rows: string[][]): string[] {
  const widths = columns.map((column, i) =>
    Math.max(column.length, ...rows.map((row) => row[i]?.length ?? 0)),
  )
  const line = (cells: string[]) =>
    `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(' | ')} |`
  const rule = `|${widths.map((width, i) => (i === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`
  return [line(columns), rule, ...rows.map(line)]
}

/** Three significant digits; a dash for an unknown value. */
export function number(value: number): string {
  if (!Number.isFinite(value)) return '–'
  if (value >= 100 || Number.isInteger(value)) return Math.round(value).toLocaleString('en-US')
  return value.toPrecision(value < 0.1 ? 2 : 3)
}

export function times(value: number): string {
  return Number.isFinite(value) ? `${number(value)}×` : '–'
}

export function limitText(limit: Limit): string {
  const text = (value: number) => inUnit(value.toLocaleString('en-US'), unitOf(limit))
  if ('atLeast' in limit) return `at least ${text(limit.atLeast)}`
  return 'atMost' in limit ? `at most ${text(limit.atMost)}` : `within ${text(limit.within)}`
}

export function measuredText({ limit, measured }: Verdict): string {
  return Number.isFinite(measured) ? inUnit(number(measured), unitOf(limit)) : '–'
}

function inUnit(value: string, unit: Unit | undefined): string {
  if (unit === undefined) return `${value}×`
  return unit === '%' ? `${value}%` : `${value} ${unit}`
}

export function percent(share: number): string {
  return Number.isFinite(share) ? `±${Math.round(share * 100)}%` : '–'
}
