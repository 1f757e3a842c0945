import { createHash } from 'node:crypto'
import { foldCase } from '../directory/case-folding.ts'
import { looksHashed } from '../directory/values.ts'
import { quoted } from '../visible-text.ts'
import type { Faults } from './faults.ts'
import type { Column, ImportFile } from './files.ts'
import { CsvFault } from './read-csv.ts'

/** Passwords by their line in users.csv. They are hashed after all other checks, because hashing is slow. */
export type Passwords = Map<number, string>

const byteOrderMark = '\uFEFF'

/** PostgreSQL's spelling of NULL in COPY's text format. */
const copyNull = '\\N'

/** Turns the rows of one file into lines of COPY's text format: the line number, then `tableColumns(file)`. */
export class CopyRows {
  readonly #file: ImportFile
  readonly #faults: Faults
  readonly #passwords: Passwords
  /** The position in a row of each of the file's columns, -1 if the header does not have the column. */
  #positions: number[] | undefined
  #width = 0
  #text = ''

  constructor(file: ImportFile, faults: Faults, passwords: Passwords) {
    this.#file = file
    this.#faults = faults
    this.#passwords = passwords
  }

  /** @throws {CsvFault} when the header does not fit this file */
  add(fields: string[], line: number): void {
    if (this.#positions === undefined) {
      this.#positions = readHeader(this.#file, fields)
      this.#width = fields.length
    } else if (fields.length === 1 && fields[0] === '') {
      return // an empty line, common at the end of a file
    } else if (fields.length !== this.#width) {
      this.#fault(line, null, `the row has ${fields.length} values, but the header has ${this.#width}`)
    } else {
      this.#addRow(fields, line, this.#positions)
    }
  }

  /** The text since the last call. Empty after the first fault, because then the import stores nothing. */
  take(): string {
    const text = this.#faults.none() ? this.#text : ''
    this.#text = ''
    return text
  }

  /** @throws {CsvFault} when the file has no header */
  end(): void {
    if (this.#positions === undefined) throw new CsvFault(1, 'the header is missing')
  }

  #addRow(fields: string[], line: number, positions: number[]): void {
    let text = String(line)
    let password = ''
    for (const [index, column] of this.#file.columns.entries()) {
      const value = fields[positions[index] ?? -1] ?? ''
      const fault = faultOf(column, value)
      if (fault !== null) this.#fault(line, column.name, fault)
      else if (column.password === 'plain') password = value
      else if (column.password === 'hash') text += this.#credential(password, value, line)
      else text += `\t${encode(value)}`
      if (column.folded) text += `\t${encode(foldCase(value))}`
    }
    this.#text += `${text}\n`
  }

  /** The two values `password_hash` and `imported_hash_digest`. */
  #credential(password: string, hash: string, line: number): string {
    if (password !== '' && hash !== '') this.#fault(line, 'password_hash', twoPasswords)
    const given = readCredential(password, hash)
    if (given.plain !== '') this.#passwords.set(line, given.plain)
    return `\t${encode(given.hash)}\t${encode(given.digest)}`
  }

  #fault(line: number, column: string | null, what: string): void {
    this.#faults.add(this.#file, line, column, what)
  }
}

export const twoPasswords = 'the row has a password too; leave one of the two empty'

/**
 * What the values `password` and `password_hash` of a row say. `digest` is a bytea as text, `plain` a password to be hashed.
 * Empty values are absent.
 */
export function readCredential(password: string, passwordHash: string) {
  // Older exports have argon2id hashes in the column `password`.
  const hash = passwordHash !== '' || !looksHashed(password) ? passwordHash : password
  if (hash === '') return { hash, digest: '', plain: password }
  return { hash, digest: `\\x${createHash('sha256').update(hash).digest('hex')}`, plain: '' }
}

const separators: Record<string, string> = { ';': 'semicolons', '\t': 'tabs', '|': 'vertical bars' }

function readHeader(file: ImportFile, header: string[]): number[] {
  const known = file.columns.map((column) => column.name)
  const [only = ''] = header
  if (only.startsWith(byteOrderMark)) {
    throw new CsvFault(1, 'the file begins with two byte order marks; at most one is allowed')
  }
  for (const [separator, name] of Object.entries(separators)) {
    if (header.length === 1 && only.split(separator).some((part) => known.includes(part) && part !== only)) {
      throw new CsvFault(1, `the values are separated by ${name}; separate them by commas`)
    }
  }
  const problems = [
    ...header.filter((name) => !known.includes(name)).map((name) => `there is no column ${quoted(name)}`),
    ...known
      .filter((name) => header.indexOf(name) !== header.lastIndexOf(name))
      .map((name) => `"${name}" appears twice`),
    ...file.columns
      .filter((column) => column.required && !header.includes(column.name))
      .map((column) => `"${column.name}" is missing`),
  ]
  if (problems.length > 0)
    throw new CsvFault(1, `header: ${problems.join('; ')}; the columns are ${known.join(',')}`)
  return known.map((name) => header.indexOf(name))
}

/** What is wrong with a value, as a message that continues after the column's name. An empty value is absent. */
export function faultOf(column: Column, value: string): string | null {
  if (value === '') return column.required ? 'is empty' : null
  if (value.includes('\0')) return 'contains a NUL character'
  const fault = column.check(value)
  // A byte order mark is invisible. Without this message the reason for the fault could not be seen.
  if (fault !== null && value.startsWith(byteOrderMark)) {
    return 'begins with a byte order mark (U+FEFF), which is allowed only at the beginning of the file; check whether files were joined'
  }
  return fault
}

function encode(value: string): string {
  if (value === '') return copyNull
  return /[\\\t\n\r]/.test(value) ? value.replace(/[\\\t\n\r]/g, (char) => escapes[char] ?? char) : value
}

const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }
