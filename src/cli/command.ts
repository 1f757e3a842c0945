import { CommanderError } from 'commander'
import { commandOrigin, type Origin } from '../audit/origin.ts'
import { type Config, ConfigError, readConfig } from '../config.ts'
import { type Database, DatabaseUnavailable } from '../database/database.ts'
import { WrongEnvironment } from '../database/deployment.ts'
import { MigrationError } from '../database/migrate.ts'
import { openDatabase } from '../database/open.ts'
import { ExplainedError } from '../explained-error.ts'

/** Error codes for scripts. docs/operate.md lists them. */
type ErrorCode =
  | 'usage'
  | 'configuration'
  | 'database_unavailable'
  | 'schema'
  | 'wrong_environment'
  | 'not_found'
  | 'refused'
  | 'interrupted'
  | 'failed'
  | 'internal'

/** The command was called wrongly or was refused. The program has no fault, therefore no stack is printed. */
export class CommandError extends ExplainedError {
  readonly errorCode: ErrorCode

  constructor(message: string, errorCode: 'not_found' | 'refused' | 'interrupted' = 'refused') {
    super(message)
    this.errorCode = errorCode
  }
}

/**
 * Opens the configured database for one command. It must have this program's schema and belong to this environment. The audit
 * log records changes with `origin`.
 */
export async function withDatabase<T>(
  work: (database: Database, config: Config, origin: Origin) => Promise<T>,
): Promise<T> {
  const config = readConfig(process.env)
  const database = await openDatabase(config, 'command', () => {})
  try {
    return await work(database, config, commandOrigin())
  } finally {
    await database.close()
  }
}

/** Writes the answer to standard output: with `--json` as JSON on one line, otherwise as text for a person. */
export function answer(options: { json?: boolean }, value: unknown, text: string): void {
  process.stdout.write(`${options.json ? JSON.stringify(value) : text}\n`)
}

/**
 * Writes the reason for a failure to standard error, with `--json` as one line of JSON, and sets the exit code. Standard
 * output stays empty, so that a script cannot mistake an error for the answer.
 */
export function failCommand(error: unknown, json: boolean): void {
  process.exitCode = exitCodeOf(error)
  if (process.exitCode === 0) return // --help and --version
  if (json) {
    const answer = { error: { code: codeOf(error), message: messageOf(error) } }
    process.stderr.write(`${JSON.stringify(answer)}\n`)
  } else if (!(error instanceof CommanderError)) {
    const withStack = !(error instanceof ExplainedError) && error instanceof Error
    process.stderr.write(`${withStack ? error.stack : messageOf(error)}\n`)
  }
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode
  return error instanceof CommandError && error.errorCode === 'interrupted' ? 130 : 1
}

function codeOf(error: unknown): ErrorCode {
  if (error instanceof CommanderError) return 'usage'
  if (error instanceof CommandError) return error.errorCode
  if (error instanceof ConfigError) return 'configuration'
  if (error instanceof DatabaseUnavailable) return 'database_unavailable'
  if (error instanceof MigrationError) return 'schema'
  if (error instanceof WrongEnvironment) return 'wrong_environment'
  return error instanceof ExplainedError ? 'failed' : 'internal'
}

function messageOf(error: unknown): string {
  if (error instanceof CommanderError && error.code === 'commander.help') return 'a command is missing'
  return (error instanceof Error ? error.message : String(error)).replace(/^error: /, '')
}
