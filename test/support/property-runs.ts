let part = 0.15

/** From now on, properties run with their full number of tries. test/long calls this before it imports them. */
export function tryInFull(): void {
  part = 1
}

/** The number of tries, or the minimum of a result of them: 15 % in `npm test`, all in `npm run test:long`. */
export function ofRuns(full: number): number {
  return Math.ceil(full * part)
}
