/** Further faults are only counted. */
const shownAtMost = 20

/** The faults of the files of one import. */
export class Faults {
  readonly shown: string[] = []
  total = 0

  /** `line` is 1 for the first line of the file. Without a column, the fault concerns the whole line. */
  add(file: string, line: number, column: string | null, what: string): void {
    this.note(`${file}:${line}: ${column === null ? '' : `column "${column}": `}${what}`)
  }

  /** Adds a fault that does not belong to one line. */
  note(message: string): void {
    this.total++
    if (this.shown.length < shownAtMost) this.shown.push(message)
  }

  /** Adds faults that are only counted. */
  count(unshown: number): void {
    this.total += unshown
  }

  none(): boolean {
    return this.total === 0
  }
}
