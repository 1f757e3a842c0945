import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import {
  BackupError,
  type BackupHeader,
  backupHeader,
  backupTrailer,
  endOfRows,
  newDigest,
  type TableHeader,
  tableHeader,
} from './backup-format.ts'

/** A backup file, read once from its beginning to its end. */
export type BackupReader = {
  header: BackupHeader
  /**
   * Yields each table with its rows: lines of COPY's text format, in chunks. Read all rows of a table before the next
   * table.
   * @throws {BackupError} at the end, if the file is incomplete or was changed
   */
  tables(): AsyncGenerator<TableHeader & { rows: AsyncGenerator<string> }>
}

/** The size of a chunk, in characters. */
const pieceSize = 64 * 1024

/** @throws {BackupError} when the file cannot be read or does not begin like a backup */
export async function readBackup(file: string): Promise<BackupReader> {
  const lines = linesOf(file)
  const digest = newDigest()
  const next = async (): Promise<string> => {
    const line = await lines.next()
    if (line.done) throw new BackupError(`${file} is incomplete: it ends before its last line.`)
    return line.value
  }
  const first = await next()
  const header = parsed(first)
  if (!backupHeader.Check(header))
    throw new BackupError(`${file} is not a backup that this program can read.`)
  digest.update(`${first}\n`)

  async function* rowsOfTable(): AsyncGenerator<string> {
    let piece = ''
    for (let line = await next(); line !== endOfRows; line = await next()) {
      piece += `${line}\n`
      if (piece.length < pieceSize) continue
      digest.update(piece)
      yield piece
      piece = ''
    }
    digest.update(`${piece}${endOfRows}\n`)
    if (piece !== '') yield piece
  }

  return {
    header,
    async *tables() {
      for (;;) {
        const line = await next()
        const content = parsed(line)
        if (backupTrailer.Check(content)) {
          if (content.sha256 === digest.digest('hex')) return
          throw new BackupError(`${file} was changed: its checksum does not match.`)
        }
        if (!tableHeader.Check(content)) throw new BackupError(`${file} is damaged: a table has no header.`)
        digest.update(`${line}\n`)
        yield { ...content, rows: rowsOfTable() }
      }
    },
  }
}

async function* linesOf(file: string): AsyncGenerator<string> {
  const source = createReadStream(file)
  const text = createGunzip()
  const reading = pipeline(source, text)
  reading.catch(() => {}) // the loop below gets the error as well, unless it has stopped reading
  try {
    // COPY's text format escapes line breaks in values, so a line feed always ends a row.
    yield* createInterface({ input: text, crlfDelay: Number.POSITIVE_INFINITY })
    await reading
  } catch (error) {
    throw new BackupError(`${file} cannot be read: ${error instanceof Error ? error.message : error}`)
  } finally {
    source.destroy()
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
