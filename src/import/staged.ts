import type pg from 'pg'
import type { ImportFile } from './files.ts'

/**
 * The rows that an import or a change brings, as relations that statements read by name. For each table of the directory:
 *
 * - `staged_<table>`: the rows to store, with the columns of `tableColumns` and `line`;
 * - `removed_<table>`: the stored rows to remove, with all columns of the table;
 *
 * and `noted_…`: what `note` kept. An import has them in temporary tables (`StagedTables`). A change by API has few rows and
 * sends them with each statement (`StagedRows`), because creating tables would take longer than the change. Both run the same
 * statements.
 *
 * Each call sends its statement at once, and statements run in the order of the calls. A caller that does not need a result
 * for its next statement awaits several together: for a change, each wait for an answer takes longer than the statement.
 */
export type Staged = {
  /** Returns the rows of a statement. */
  query(sql: string, values?: unknown[]): Promise<unknown[]>
  /** The same for a query that returns nothing if all relations that it reads are empty. Then it is skipped. */
  find(sql: string, values?: unknown[]): Promise<unknown[]>
  /**
   * Runs a statement that has nothing to do if all relations that it reads are empty. Then it is skipped.
   * @returns the number of rows that the statement wrote
   */
  run(sql: string, values?: unknown[]): Promise<number>
  /** Keeps the rows of a query under the name `noted_<name>`, for statements after the merge. */
  note(note: Note): Promise<void>
  /** The number of rows of a relation. */
  count(relation: string): number
}

export type Note = {
  name: string
  /** Names and types of the query's columns. */
  columns: string
  sql: string
}

export function stagedName({ table }: Pick<ImportFile, 'table'>): string {
  return `staged_${table}`
}

export function removedName({ table }: Pick<ImportFile, 'table'>): string {
  return `removed_${table}`
}

/** The relations that a statement reads. The statements are constants, so there are few. */
export function relationsOf(sql: string): string[] {
  const known = relations.get(sql)
  if (known) return known
  const found = [...new Set(sql.match(/\b(?:staged|removed|noted)_[a-z_]+/g))]
  relations.set(sql, found)
  return found
}
const relations = new Map<string, string[]>()

/** Whether all relations that a statement reads are empty. */
export function areEmpty(staged: Pick<Staged, 'count'>, sql: string): boolean {
  return relationsOf(sql).every((relation) => staged.count(relation) === 0)
}

/** For an import, with the connection of its transaction. */
export class StagedTables implements Staged {
  readonly client: pg.ClientBase
  readonly #counts = new Map<string, number>()
  #before: Promise<unknown> = Promise.resolve()

  constructor(client: pg.ClientBase) {
    this.client = client
  }

  async query(sql: string, values?: unknown[]): Promise<unknown[]> {
    return (await this.#send(sql, values)).rows
  }

  async find(sql: string, values?: unknown[]): Promise<unknown[]> {
    return areEmpty(this, sql) ? [] : this.query(sql, values)
  }

  async run(sql: string, values?: unknown[]): Promise<number> {
    return areEmpty(this, sql) ? 0 : ((await this.#send(sql, values)).rowCount ?? 0)
  }

  async note({ name, sql }: Note): Promise<void> {
    const { rowCount } = await this.#send(`CREATE TEMP TABLE noted_${name} ON COMMIT DROP AS ${sql}`)
    await this.filled(`noted_${name}`, rowCount ?? 0)
  }

  count(relation: string): number {
    return this.#counts.get(relation) ?? 0
  }

  /** To be called when a table has its rows. */
  async filled(relation: string, rows: number): Promise<void> {
    this.#counts.set(relation, rows)
    if (rows > 0) await this.#send(`ANALYZE ${relation}`)
  }

  /** One after the other. After an error none is sent: it would run outside the transaction, which the caller has ended. */
  #send(sql: string, values?: unknown[]): Promise<pg.QueryResult> {
    const sent = this.#before.then(() => this.client.query(sql, values))
    this.#before = sent
    return sent
  }
}
