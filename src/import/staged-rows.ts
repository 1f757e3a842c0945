import { createHash } from 'node:crypto'
import type pg from 'pg'
import { importFiles, tableColumns } from './files.ts'
import { areEmpty, type Note, relationsOf, removedName, type Staged, stagedName } from './staged.ts'

export type Row = Record<string, unknown>

/** From this number of rows on, planning each statement costs less than a plan for few rows. */
const manyRows = 200

/**
 * For a change by API: sends the rows of the relations that a statement reads as JSON, in parameters after its own. Each
 * statement is prepared once per connection. With many rows it is not, and `hasManyRows` says so.
 */
export class StagedRows implements Staged {
  readonly #client: pg.ClientBase
  readonly #rows: Map<string, Row[]>
  readonly #json = new Map<string, string>()

  /** @param rows of `staged_…`, and the keys of `removed_…`. A relation without rows may be absent. */
  constructor(client: pg.ClientBase, rows: Map<string, Row[]>) {
    this.#client = client
    this.#rows = new Map(rows)
  }

  async query(sql: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.#send(sql, values)).rows
  }

  async find(sql: string, values: unknown[] = []): Promise<Row[]> {
    return areEmpty(this, sql) ? [] : this.query(sql, values)
  }

  async run(sql: string, values: unknown[] = []): Promise<number> {
    return areEmpty(this, sql) ? 0 : ((await this.#send(sql, values)).rowCount ?? 0)
  }

  async note({ name, columns, sql }: Note): Promise<void> {
    definitions.set(`noted_${name}`, (rows) => `SELECT * FROM ${rows} AS r (${columns})`)
    this.#rows.set(`noted_${name}`, await this.find(sql))
  }

  get hasManyRows(): boolean {
    return [...this.#rows.values()].reduce((sum, rows) => sum + rows.length, 0) > manyRows
  }

  count(relation: string): number {
    return this.#rows.get(relation)?.length ?? 0
  }

  #send(sql: string, values: unknown[]): Promise<pg.QueryResult<Row>> {
    const { relations, name, text } = preparedFor(sql, values.length)
    return this.#client.query({
      ...(!this.hasManyRows && { name }),
      text,
      values: [...values, ...relations.map((each) => this.#jsonOf(each))],
    })
  }

  #jsonOf(relation: string): string {
    const known = this.#json.get(relation)
    if (known !== undefined) return known
    const json = JSON.stringify(this.#rows.get(relation) ?? [])
    this.#json.set(relation, json)
    return json
  }
}

/** A query for each relation. Its argument is the SQL of the rows in the parameter. */
const definitions = new Map<string, (rows: string) => string>(
  importFiles.flatMap((file) => {
    const types = new Map(file.columns.map(({ name, type = 'text' }) => [name, type]))
    const typed = tableColumns(file).map((column) =>
      column === 'imported_hash_digest' ? `${column} bytea` : `${column} ${types.get(column) ?? 'text'}`,
    )
    const keys = file.key.map((column) => `${column} text`).join(', ')
    const same = file.key.map((column) => `t.${column} = s.${column}`).join(' AND ')
    const { same: also = '', join = '' } = file.household?.same ? file.household : {}
    return [
      [stagedName(file), (rows) => `SELECT * FROM ${rows} AS r (line integer, ${typed.join(', ')})`],
      [
        removedName(file),
        (rows) => `SELECT t.* FROM ${rows} AS s (${keys}) ${join} JOIN ${file.table} t ON ${same} ${also}`,
      ],
    ]
  }),
)

type Prepared = { relations: string[]; name: string; text: string }

/** The statements are constants, so there are few. PostgreSQL plans each once per connection. */
const prepared = new Map<string, Prepared>()

/** The statement, with its relations in front of it. `first` is the number of parameters that the statement has. */
function preparedFor(sql: string, first: number): Prepared {
  const known = prepared.get(sql)
  if (known) return known
  const relations = relationsOf(sql)
  const queries = relations.map((relation, index) => {
    const query = definitions.get(relation)?.(`json_to_recordset($${first + index + 1}::json)`)
    return `${relation} AS (${query})`
  })
  const body = sql.trim()
  const rest = body.startsWith('WITH ') ? `,${body.slice('WITH'.length)}` : ` ${body}`
  const text = queries.length === 0 ? body : `WITH ${queries.join(', ')}${rest}`
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16)
  const made = { relations, name: `directory_${digest}`, text }
  prepared.set(sql, made)
  return made
}
