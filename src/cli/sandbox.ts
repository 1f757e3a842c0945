import { Command } from 'commander'
import { readConfig } from '../config.ts'
import { sandboxPassword, sandboxUsers } from '../sandbox/data.ts'
import { loadSandbox } from '../sandbox/load.ts'
import { answer, CommandError, withDatabase } from './command.ts'

export function sandboxCommand(): Command {
  return new Command('sandbox')
    .description('users and data with which partners try failures; not in production')
    .addCommand(load())
}

function load(): Command {
  return new Command('load')
    .description('create the firms sandbox and sandbox-large with their users; run it again to restore them')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      if (readConfig(process.env).environment !== 'sandbox') {
        throw new CommandError(
          'LATCHKEY_ENVIRONMENT is production. The sandbox users have a public password, so production never has them. Nothing was changed.',
        )
      }
      const outcome = await withDatabase((database, _, origin) => loadSandbox(database, origin))
      if (outcome.kind === 'refused') {
        throw new CommandError([...outcome.faults, 'Nothing was changed.'].join('\n'))
      }
      if (outcome.kind !== 'imported') {
        throw new CommandError(
          'Another session is changing the same tables. Nothing was changed. Try again later.',
        )
      }
      const users = sandboxUsers.map(({ email, what }) => ({ email, what }))
      const width = Math.max(...users.map(({ email }) => email.length))
      const table = users.map(({ email, what }) => `  ${email.padEnd(width)}  ${what}`).join('\n')
      answer(
        options,
        { files: outcome.files, password: sandboxPassword, users },
        `The sandbox is loaded. The password of all these users is ${sandboxPassword}\n\n${table}`,
      )
    })
}
