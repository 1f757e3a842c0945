import type { Origin } from '../audit/origin.ts'
import { recordEvent } from '../audit/record-event.ts'
import type { Database } from '../database/database.ts'

/** Why an import changed nothing. `faults` counts those of the files: their texts have values from the files. */
export type ImportRefusal =
  | { reason: 'refused'; faults: number }
  | { reason: 'too_many_removals' | 'busy' | 'interrupted' }

/**
 * Records that an import was tried. It is a separate statement, because the transaction of the import was rolled back.
 * @param digests SHA-256 of each file that was read to its end, in hexadecimal
 */
export function recordRefusal(
  database: Database,
  origin: Origin,
  refusal: ImportRefusal,
  digests: Map<string, string>,
): Promise<void> {
  const files = Object.fromEntries([...digests].map(([file, sha256]) => [file, { sha256 }]))
  return recordEvent(database, origin, {
    event: 'directory.import_refused',
    target: { kind: 'directory', id: 'all' },
    details: { ...refusal, files },
  })
}
