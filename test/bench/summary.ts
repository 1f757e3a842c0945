import { meter } from './cost.ts'
import { isMeasured, isMet, type Verdict } from './goal.ts'
import { grid, limitText, measuredText, number, times } from './table.ts'

/**
 * One operation at one size. `serverTime` and `databaseTime` are CPU µs per call. `ratio` is its cost relative to the
 * baseline's, for server and database together.
 */
export type SummaryLine = {
  operation: string
  rate: number
  p99: number
  serverTime: number
  databaseTime: number
  ratio: number
  against: string
}

export type Summarized = SummaryLine & { households: number }

/** The table in docs/performance.md, in Markdown: for each operation one row for each size. */
export function summaryTable(lines: Summarized[]): string {
  const operations = [...new Set(lines.map(({ operation }) => operation))]
  return grid(
    [
      ...['operation', 'households', 'calls/s', 'p99 ms', 'server CPU µs', 'database CPU µs'],
      ...[`${meter().name} ratio`, 'against'],
    ],
    operations.flatMap((operation) =>
      lines.filter((line) => line.operation === operation).map((line, i) => row(line, i === 0)),
    ),
  ).join('\n')
}

function row(line: Summarized, isFirst: boolean): string[] {
  const { operation, households, rate, p99, serverTime, databaseTime, ratio, against } = line
  const figures = [rate, p99, serverTime, databaseTime].map(number)
  return [isFirst ? operation : '', number(households), ...figures, times(ratio), isFirst ? against : '']
}

/** The goals of these are always in the table of goals. Of the others, only those that were missed. */
const mainGoals = /^(page|paging|refresh|exchange|introspection|rotation)\b/

/** The goals in docs/performance.md, in Markdown: one row for each goal, with a column for each size. */
export function goalTable(goals: (Verdict & { households: number })[]): string {
  const sizes = [...new Set(goals.map(({ households }) => households))]
  const shown = goals.filter((one) => mainGoals.test(one.goal) || (isMeasured(one) && !isMet(one)))
  const rows = [...new Map(shown.map((one) => [one.goal, one.limit]))].map(([goal, limit]) => [
    ...[goal, limitText(limit)],
    ...sizes.map((size) => cell(goals.find((one) => one.goal === goal && one.households === size))),
  ])
  return grid(['goal', 'limit', ...sizes.map((size) => `at ${number(size)}`)], rows).join('\n')
}

/** Bold if the goal is missed. */
function cell(verdict: (Verdict & { households: number }) | undefined): string {
  if (!verdict || !isMeasured(verdict)) return '–'
  const text = measuredText(verdict)
  return isMet(verdict) ? text : `**${text}**`
}
