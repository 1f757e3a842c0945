let part = 0.2

/** From now on, properties are tried as often as they say: for test/long, before it imports them. */
export function tryInFull(): void {
  part = 1
}

/** A number of tries, or of what has to come of them: a fifth of it in `npm test`, all of it in `npm run test:long`. */
export function ofRuns(full: number): number {
  return Math.ceil(full * part)
}
