import { Command } from 'commander'
import { type ImportOutcome, importDirectory } from '../directory/import/import-directory.ts'
import { answer, CommandError, withDatabase } from './command.ts'
import { progressDisplay } from './import-progress.ts'

export function importCommand(): Command {
  return new Command('import')
    .description('take over firms, roles, users, households, accounts and account access from CSV files')
    .argument('<dir>', 'where the files are')
    .option('--json', 'print JSON')
    .action(async (directory: string, options: { json?: boolean }) => {
      const display = progressDisplay(process.stderr)
      const outcome = await withDatabase((database) =>
        importDirectory(database, directory, display.onProgress),
      ).finally(display.stop)
      const files = importedFiles(outcome)
      const text = Object.entries(files).map(
        ([file, { added, changed, unchanged }]) =>
          `${file}: ${added} added, ${changed} changed, ${unchanged} unchanged`,
      )
      answer(options, { files }, text.join('\n'))
    })
}

function importedFiles(outcome: ImportOutcome) {
  if (outcome.kind === 'busy') {
    throw new CommandError('Another import or user command is at work. Nothing was changed; try again later.')
  }
  if (outcome.kind === 'refused') {
    const more = outcome.total - outcome.faults.length
    throw new CommandError(
      [...outcome.faults, ...(more > 0 ? [`… and ${more} more.`] : []), 'Nothing was changed.'].join('\n'),
    )
  }
  return outcome.files
}
