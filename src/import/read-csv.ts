import { isUtf8 } from 'node:buffer'
import type { Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { CsvError, Parser } from 'csv-parse'

/** The file cannot be read from this line on. */
export class CsvFault extends Error {
  readonly line: number

  constructor(line: number, what: string) {
    super(what)
    this.line = line
  }
}

/** Limits memory: after a missing closing quote, the rest of a large file would be one row. */
const maxRowBytes = 65_536

const csvFaults: Record<string, string> = {
  CSV_INVALID_CLOSING_QUOTE: 'a closing quote must be followed by a comma or the end of the line',
  INVALID_OPENING_QUOTE: 'a value without quotes around it contains a quote',
  CSV_QUOTE_NOT_CLOSED: 'a quote that opens here is never closed',
  CSV_MAX_RECORD_SIZE: `the row is longer than ${maxRowBytes} bytes; is a closing quote missing?`,
}

/**
 * Reads RFC 4180 in UTF-8, with or without a byte order mark. Calls `onRow` for every row, including the header and blank
 * lines, with the line on which the row begins (1 is the first). Yields the number of bytes read after each chunk.
 * @param digest gets all bytes of the file
 * @throws {CsvFault} when the file is malformed; also throws what `onRow` throws
 */
export async function* readCsv(
  path: string,
  digest: Hash,
  onRow: (fields: string[], line: number) => void,
): AsyncGenerator<number, void> {
  let line = 1
  const parser = new Parser({
    bom: true,
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    max_record_size: maxRowBytes,
    // A callback, because the parser's stream loses the rows before an error. We count lines, because the parser counts a
    // quoted CRLF as two.
    on_record(fields: string[]) {
      onRow(fields, line)
      line += 1 + lineBreaks(fields)
      return null
    },
  })
  parser.on('error', () => {}) // the callbacks below get the error as well
  parser.resume()
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  let bytes = 0
  try {
    for await (const piece of createReadStream(path)) {
      if (bytes === 0 && isUtf16(piece)) {
        throw new CsvFault(1, 'the file is UTF-16; save it as UTF-8, which Excel calls "CSV UTF-8"')
      }
      digest.update(piece)
      utf8.decode(piece, { stream: true })
      await completed((done) => parser.write(piece, done))
      bytes += piece.length
      yield bytes
    }
    utf8.decode()
    await completed((done) => parser.end(done))
  } catch (error) {
    throw await toCsvFault(error, path, line)
  }
}

/** Detects UTF-16 by its byte order mark or by a NUL in the first character, because a header begins with ASCII. */
function isUtf16(start: Buffer): boolean {
  const [first, second] = start
  return (
    (first === 0xff && second === 0xfe) ||
    (first === 0xfe && second === 0xff) ||
    (start.length > 1 && (first === 0) !== (second === 0))
  )
}

function completed(start: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => start((error) => (error ? reject(error) : resolve())))
}

function lineBreaks(fields: string[]): number {
  let count = 0
  for (const field of fields) if (field.includes('\n')) count += field.split('\n').length - 1
  return count
}

async function toCsvFault(error: unknown, path: string, line: number): Promise<unknown> {
  if (error instanceof CsvError) return new CsvFault(line, csvFaults[error.code] ?? error.message)
  const notUtf8 =
    error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA'
  return notUtf8 ? new CsvFault(await firstLineNotUtf8(path), 'the line is not UTF-8') : error
}

/** Reads the file a second time, which happens only if the file is refused. */
async function firstLineNotUtf8(path: string): Promise<number> {
  let line = 0
  const lines = createInterface({ input: createReadStream(path, 'latin1'), crlfDelay: Infinity })
  for await (const text of lines) {
    line++
    if (!isUtf8(Buffer.from(text, 'latin1'))) break
  }
  return line
}
