import { foldCase } from '../directory/case-folding.ts'
import Type, { Compile } from '../typebox.ts'
import { quoted } from '../visible-text.ts'
import type { FaultSink } from './check-staged.ts'
import { faultOf, readCredential, twoPasswords } from './copy-rows.ts'
import { type Column, type ImportFile, importFiles } from './files.ts'
import { removedName, stagedName } from './staged.ts'
import type { Row } from './staged-rows.ts'

/** A fault of a row. `field` is empty if it concerns the whole row. */
export type ChangeFault = { line: number; field: string; detail: string }

/** The faults of one request. */
class ChangeFaults implements FaultSink {
  readonly namedAtMost = 1000
  readonly named: ChangeFault[] = []
  total = 0

  add(_file: ImportFile | undefined, line: number, field: string, detail: string): void {
    this.total++
    if (this.named.length < this.namedAtMost) this.named.push({ line, field, detail })
  }

  count(unnamed: number): void {
    this.total += unnamed
  }
}

/** The type of a row in a change, and the file with its columns. */
export const changeTypes = {
  firm: fileOf('firms'),
  role: fileOf('roles'),
  user: fileOf('users'),
  household: fileOf('households'),
  account: fileOf('accounts'),
  access: fileOf('account_access'),
} as const
export type ChangeType = keyof typeof changeTypes

export const typeNames = Object.keys(changeTypes).filter(isChangeType)

function isChangeType(name: string): name is ChangeType {
  return Object.hasOwn(changeTypes, name)
}

function fileOf(table: string): ImportFile {
  const file = importFiles.find((each) => each.table === table)
  if (!file) throw new Error(`there is no file of the table ${table}`)
  return file
}

export const mostRows = 10_000

/** Hashing a password takes 20 ms of a core, which logins need too. */
const mostPlainPasswords = 100

const anObject = Compile(Type.Record(Type.String(), Type.Unknown()))

/**
 * The rows of one change: a set, in which each row of the directory is named once. Rows with faults are staged too, without
 * their invalid values: the checks of the database then find the other faults of the same request.
 */
export class ChangeSet {
  /** The staged rows and the keys of removed rows, by relation. */
  readonly rows = new Map<string, Row[]>()
  readonly faults = new ChangeFaults()
  /** Passwords to be hashed, by the staged row. */
  readonly passwords = new Map<Row, string>()
  #size = 0
  readonly #lines = new Map<string, number>()
  readonly #addresses = new Map<string, number>()

  /** The number of rows. */
  get size(): number {
    return this.#size
  }

  /** The line on which the row with this key is. */
  lineOf(file: ImportFile, key: string): number {
    return this.#lines.get(`${file.table} ${key}`) ?? 0
  }

  /** The keys of the rows of a file. */
  keysOf({ table }: ImportFile): string[] {
    return [...this.#lines.keys()].flatMap((name) =>
      name.startsWith(`${table} `) ? [name.slice(table.length + 1)] : [],
    )
  }

  /** Adds a fault of a line that is not a row. */
  refuse(line: number, detail: string): void {
    this.#fault(line, '', detail)
  }

  /** @param change the parsed JSON of one row: `op`, `type` and the columns of the type's file */
  add(line: number, change: unknown): void {
    if (++this.#size > mostRows) {
      if (this.#size === mostRows + 1) this.#fault(line, '', `a request has at most ${mostRows} rows`)
      return
    }
    if (!anObject.Check(change) || Array.isArray(change)) {
      this.#fault(line, '', 'is not a JSON object')
      return
    }
    const { op, type, ...fields } = change
    const isType = typeof type === 'string' && isChangeType(type)
    if (!isType) this.#fault(line, 'type', `is not ${typeNames.join(', ')}`)
    if (op !== 'upsert' && op !== 'delete') this.#fault(line, 'op', 'is not upsert or delete')
    if (!isType || (op !== 'upsert' && op !== 'delete')) return
    const file = changeTypes[type]
    const columns =
      op === 'upsert' ? file.columns : file.columns.filter(({ name }) => file.key.includes(name))
    const values = this.#valuesOf(line, columns, fields)
    const key = file.key.map((name) => values.get(name) ?? '')
    if (key.includes('')) return
    if (!this.#isFirst(line, file, key.join(' '))) return
    if (op === 'delete') this.#push(removedName(file), Object.fromEntries(values))
    else this.#stage(line, file, values)
  }

  #valuesOf(line: number, columns: Column[], fields: Record<string, unknown>): Map<string, string> {
    for (const name of Object.keys(fields)) {
      if (!columns.some((column) => column.name === name)) {
        this.#fault(line, name.slice(0, 100), 'is not a field of this change')
      }
    }
    const values = columns.map((column): [string, string] => {
      const given = Object.hasOwn(fields, column.name) ? (fields[column.name] ?? '') : ''
      const isText = typeof given === 'string'
      const fault = isText ? valueFault(column, given) : 'is not text: write it as a JSON string'
      if (fault !== null) this.#fault(line, column.name, fault)
      return [column.name, isText && fault === null ? given : '']
    })
    return new Map(values)
  }

  #isFirst(line: number, file: ImportFile, key: string): boolean {
    const name = `${file.table} ${key}`
    const first = this.#lines.get(name)
    if (first === undefined) this.#lines.set(name, line)
    else this.#fault(line, file.key.at(-1) ?? '', `${quoted(key)} is already on line ${first}`)
    return first === undefined
  }

  #stage(line: number, file: ImportFile, values: Map<string, string>): void {
    const row: Row = { line }
    for (const { name, folded, password } of file.columns) {
      const value = values.get(name) ?? ''
      if (password === undefined) row[name] = value || null
      if (folded) row[folded] = value === '' ? null : foldCase(value)
    }
    if (file.table === 'users') this.#stageUser(line, row, values)
    this.#push(stagedName(file), row)
  }

  #stageUser(line: number, row: Row, values: Map<string, string>): void {
    const [password = '', given = ''] = [values.get('password'), values.get('password_hash')]
    if (password !== '' && given !== '') this.#fault(line, 'password_hash', twoPasswords)
    const { hash, digest, plain } = readCredential(password, given)
    row.password_hash = hash || null
    row.imported_hash_digest = digest || null
    if (plain !== '') this.passwords.set(row, plain)
    if (this.passwords.size === mostPlainPasswords + 1) {
      this.#fault(line, 'password', `a request has at most ${mostPlainPasswords} passwords in plain text`)
    }
    const address = String(row.email_folded ?? '')
    const first = this.#addresses.get(address)
    if (address !== '' && first !== undefined) {
      this.#fault(line, 'email', `${quoted(values.get('email') ?? '')} is already on line ${first}`)
    }
    if (first === undefined) this.#addresses.set(address, line)
  }

  #push(relation: string, row: Row): void {
    const rows = this.rows.get(relation)
    if (rows) rows.push(row)
    else this.rows.set(relation, [row])
  }

  #fault(line: number, field: string, detail: string): void {
    this.faults.add(undefined, line, field, detail)
  }
}

/** JSON can also say half of a surrogate pair, which is not a character and which PostgreSQL refuses. */
function valueFault(column: Column, value: string): string | null {
  return value.isWellFormed() ? faultOf(column, value) : 'contains half of a surrogate pair'
}
