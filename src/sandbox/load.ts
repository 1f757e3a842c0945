import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Origin } from '../audit/origin.ts'
import { recordEvent } from '../audit/record-event.ts'
import type { Database } from '../database/database.ts'
import { type ImportOutcome, importDirectory } from '../import/import-directory.ts'
import { ensureApplication } from './application.ts'
import { reservedRows, sandboxFiles, sandboxFirm, sandboxPasswordHash } from './data.ts'
import { forgetChangedPasswords } from './users.sql.ts'

const manyHouseholds = 100_000

/**
 * Fills the firms of the sandbox with users and households. It is an import, so running it again restores what was changed.
 * With `households: 0`, the firm with many households is left out. Also registers the application of the docs.
 */
export async function loadSandbox(
  database: Database,
  origin: Origin,
  { households = manyHouseholds }: { households?: number } = {},
): Promise<ImportOutcome> {
  const directory = await mkdtemp(join(tmpdir(), 'latchkey-sandbox-'))
  try {
    for (const [file, text] of Object.entries(sandboxFiles(households))) {
      await writeFile(join(directory, file), text)
    }
    await database.run(forgetChangedPasswords, [reservedRows.firms, sandboxPasswordHash])
    const outcome = await importDirectory(database, origin, directory)
    if (outcome.kind === 'imported') {
      await ensureApplication(database, origin, sandboxFirm)
      await recordEvent(database, origin, {
        event: 'sandbox.loaded',
        target: { kind: 'deployment', id: 'sandbox' },
        details: { households },
      })
    }
    return outcome
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
