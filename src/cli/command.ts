import { type Config, readConfig } from '../config.ts'
import type { Database } from '../database/database.ts'
import { openDatabase } from '../database/open.ts'
import { ExplainedError } from '../explained-error.ts'

/** A fault of the call, not of the program: printed without a stack. */
export class CommandError extends ExplainedError {}

/** Lends the configured database, its schema up to date, to one command. */
export async function withDatabase<T>(work: (database: Database, config: Config) => Promise<T>): Promise<T> {
  const config = readConfig(process.env)
  const database = await openDatabase(config, 'command', () => {})
  try {
    return await work(database, config)
  } finally {
    await database.close()
  }
}

/** Standard output is the answer alone: JSON on one line where it was asked for, otherwise text for a person. */
export function answer(options: { json?: boolean }, value: unknown, text: string): void {
  process.stdout.write(`${options.json ? JSON.stringify(value) : text}\n`)
}
