import { Command } from 'commander'
import { changeUser, type UserChanges } from '../import/change-user.ts'
import { reservedIn } from '../sandbox/data.ts'
import { quoted } from '../visible-text.ts'
import { answer, CommandError, withDatabase } from './command.ts'

type Json = { json?: boolean }

export function updateCommand(): Command {
  return new Command('update')
    .description('change a user, until the next import or change by API that has other values')
    .argument('<email-or-id>')
    .option('--email <address>', 'the address with which the user logs in')
    .option('--name <name>', 'the name of the user')
    .option('--role <name>', 'the role')
    .option('--json', 'print JSON')
    .action((user: string, { json = false, ...changes }: Json & UserChanges) =>
      withDatabase(async (database, config, origin) => {
        const outcome = await changeUser(database, origin, user, changes, reservedIn(config))
        if (outcome.kind === 'unknown')
          throw new CommandError(`There is no user ${quoted(user)}.`, 'not_found')
        if (outcome.kind === 'refused') {
          throw new CommandError(`Nothing was changed: ${outcome.reasons.join('; ')}.`)
        }
        if (outcome.kind === 'busy') {
          throw new CommandError(
            'An import or other changes are running. Nothing was changed. Try again later.',
          )
        }
        answer({ json }, { id: outcome.id }, `${outcome.id} is changed.`)
      }),
    )
}
