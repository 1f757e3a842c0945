import { Command } from 'commander'
import { readConfig } from '../config.ts'
import { connectDatabase, migrateAsOwner } from '../database/open.ts'
import { answer } from './command.ts'

export function migrateCommand(): Command {
  return new Command('migrate')
    .description("migrate the database to this program's schema")
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const config = readConfig(process.env)
      const database = await connectDatabase(config, 'command', () => {})
      try {
        const applied = await migrateAsOwner(database, config, () => {})
        const text = [...applied.map((name) => `applied ${name}`), 'The database is up to date.'].join('\n')
        answer(options, { migrated: true, applied }, text)
      } finally {
        await database.close()
      }
    })
}
