import { Command } from 'commander'
import { answer, withDatabase } from './command.ts'

export function migrateCommand(): Command {
  return new Command('migrate')
    .description("bring the database to this program's schema")
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      // Opening the database migrates it: every command and server meets the schema it was written for.
      await withDatabase(async () => answer(options, { migrated: true }, 'The database is up to date.'))
    })
}
