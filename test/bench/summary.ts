import { meter } from './cost.ts'
import { grid, number, times } from './table.ts'

/** One operation at one size. `ratio` is its cost relative to the baseline's, for server and database together. */
export type SummaryLine = {
  operation: string
  rate: number
  p99: number
  serverCpu: number
  databaseCpu: number
  ratio: number
  against: string
}

export type Summarized = SummaryLine & { households: number }

/** The table in docs/performance.md, in Markdown: for each operation one row for each size. */
export function summaryTable(lines: Summarized[]): string {
  const operations = [...new Set(lines.map(({ operation }) => operation))]
  const { name, unit } = meter()
  return grid(
    [
      ...['operation', 'households', 'calls/s', 'p99 ms', `server ${unit}`, `database ${unit}`],
      ...[`${name} ratio`, 'against'],
    ],
    operations.flatMap((operation) =>
      lines.filter((line) => line.operation === operation).map((line, i) => row(line, i === 0)),
    ),
  ).join('\n')
}

function row(line: Summarized, isFirst: boolean): string[] {
  const { operation, households, rate, p99, serverCpu, databaseCpu, ratio, against } = line
  const figures = [rate, p99, serverCpu, databaseCpu].map(number)
  return [isFirst ? operation : '', number(households), ...figures, times(ratio), isFirst ? against : '']
}
