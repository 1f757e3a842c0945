/** More than these are counted, not named. */
const shownAtMost = 20

/** What is wrong with the files of one import. */
export class Faults {
  readonly shown: string[] = []
  total = 0

  /** `line` is 1 for the first line of the file; without a column the fault is the whole line's. */
  add(file: string, line: number, column: string | null, what: string): void {
    this.note(`${file}:${line}: ${column === null ? '' : `column "${column}": `}${what}`)
  }

  /** A fault that is not a line's. */
  note(message: string): void {
    this.total++
    if (this.shown.length < shownAtMost) this.shown.push(message)
  }

  /** Faults that were counted elsewhere. */
  count(unshown: number): void {
    this.total += unshown
  }

  none(): boolean {
    return this.total === 0
  }
}
