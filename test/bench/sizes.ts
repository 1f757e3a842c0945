import { names } from './benches/page.ts'
import type { Sample } from './compare.ts'
import { type Reader, readerNames } from './data.ts'
import type { Verdict } from './goal.ts'
import { type Table, times } from './table.ts'

/** The tables of the page bench at one size, one for each reader. */
export type PagesAt = { households: number; pages: Table[] }

/** Latchkey alone, and relative to two limits of the same run. The ratio cancels the machine's speed at the time. */
const relativeTo = [undefined, names.bare, names.still]

/** Compares each size with the first. */
export function acrossSizes([first, ...others]: PagesAt[]): Table[] {
  return first ? others.map((other) => acrossTwo(first, other)) : []
}

function acrossTwo(small: PagesAt, large: PagesAt): Table {
  const ratio = (reader: Reader, measure: keyof Sample, peer: string | undefined) =>
    value(large, reader, measure, peer) / value(small, reader, measure, peer)
  return {
    title: `The same page at ${households(small)} and at ${households(large)} households`,
    note:
      'Each size is measured in a separate run, so these ratios are not calculated per round. ' +
      'The rows "relative to" divide the figures by those of a lower limit of the same run.',
    columns: ['', 'calls/s ratio', 'CPU ratio'],
    rows: readerNames.flatMap((reader) =>
      relativeTo.map((peer) => [
        `${reader}: Latchkey${peer ? ` relative to the ${peer}` : ''}`,
        ...(['rate', 'cpu'] as const).map((measure) => times(ratio(reader, measure, peer))),
      ]),
    ),
    verdicts: readerNames.flatMap((reader) =>
      (['rate', 'cpu'] as const).map(
        (measure): Verdict => ({
          goal: `size, ${reader}: ${measure === 'rate' ? 'calls/s' : 'CPU'} of a page against ${households(small)} households`,
          limit: { within: 1.3 },
          measured: ratio(reader, measure, undefined),
        }),
      ),
    ),
  }
}

function value({ pages }: PagesAt, reader: Reader, measure: keyof Sample, peer: string | undefined): number {
  const of = (name: string) => pages[readerNames.indexOf(reader)]?.medians?.get(name)?.[measure] ?? Number.NaN
  return peer ? of(names.latchkey) / of(peer) : of(names.latchkey)
}

function households({ households }: PagesAt): string {
  return households.toLocaleString('en-US')
}
