import type { ImportFile } from './files.ts'

/** The faults of the files of one import. */
export class Faults {
  /** Further faults are only counted. */
  readonly namedAtMost = 20
  readonly shown: string[] = []
  total = 0

  /** `line` is 1 for the first line of the file. Without a column, the fault concerns the whole line. */
  add({ file }: Pick<ImportFile, 'file'>, line: number, column: string | null, what: string): void {
    this.note(`${file}:${line}: ${column === null ? '' : `column "${column}": `}${what}`)
  }

  /** Adds a fault that does not belong to one line. */
  note(message: string): void {
    this.total++
    if (this.shown.length < this.namedAtMost) this.shown.push(message)
  }

  /** Adds faults that are only counted. */
  count(unshown: number): void {
    this.total += unshown
  }

  none(): boolean {
    return this.total === 0
  }
}
