import { isUtf8 } from 'node:buffer'
import { setImmediate } from 'node:timers/promises'
import { ChangeSet } from '../import/change-set.ts'

/** Lines after which other requests get their turn. */
const linesAtOnce = 500

/** Reads one JSON object on each line (NDJSON). Empty lines are ignored, and counted. The change set has the faults. */
export async function readChanges(body: Buffer): Promise<ChangeSet> {
  const change = new ChangeSet()
  if (!isUtf8(body)) {
    change.refuse(1, 'the body is not UTF-8')
    return change
  }
  let line = 0
  for (const text of body
    .toString()
    .replace(/^\uFEFF/, '')
    .split('\n')) {
    line++
    if (line % linesAtOnce === 0) await setImmediate()
    if (text.trim() === '') continue
    try {
      change.add(line, JSON.parse(text))
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      change.refuse(line, 'is not JSON: write one object on each line')
    }
  }
  if (change.size === 0 && change.faults.total === 0) change.refuse(1, 'the body has no rows')
  return change
}
