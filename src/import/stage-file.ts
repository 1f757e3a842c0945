import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { from as copyFrom } from 'pg-copy-streams'
import { CopyRows, type Passwords } from './copy-rows.ts'
import type { Faults } from './faults.ts'
import { type ImportFile, tableColumns } from './files.ts'
import { CsvFault, readCsv } from './read-csv.ts'
import { type StagedTables, stagedName } from './staged.ts'

/**
 * Reads a file, checks each value, and copies the rows with their line numbers to the table `staged_<table>`. Adds invalid
 * rows to `faults`. Memory holds only a few chunks, because the reader waits for COPY.
 * @returns the SHA-256 of the file, in hexadecimal
 */
export async function stageFile(
  staged: StagedTables,
  file: ImportFile,
  path: string,
  found: { faults: Faults; passwords: Passwords },
  onBytes: (bytes: number) => void,
): Promise<string> {
  const digest = createHash('sha256')
  const columns = ['line', ...tableColumns(file)].join(', ')
  const copy = staged.client.query(copyFrom(`COPY ${stagedName(file)} (${columns}) FROM STDIN`))
  await pipeline(copyText, copy)
  await staged.filled(stagedName(file), copy.rowCount)
  return digest.digest('hex')

  async function* copyText(): AsyncGenerator<string, void> {
    const rows = new CopyRows(file, found.faults, found.passwords)
    try {
      for await (const bytes of readCsv(path, digest, (fields, line) => rows.add(fields, line))) {
        onBytes(bytes)
        yield rows.take()
      }
      rows.end()
      yield rows.take() // a last line without a line break
    } catch (error) {
      if (!(error instanceof CsvFault)) throw error
      found.faults.add(file, error.line, null, error.message)
    }
  }
}
