import { Command } from 'commander'
import { eraseUser, exportUser } from '../persons/persons.ts'
import { quoted } from '../visible-text.ts'
import { answer, CommandError, withDatabase } from './command.ts'

type Json = { json?: boolean }

/** `user export` */
export function exportCommand(): Command {
  return new Command('export')
    .description('print everything that Latchkey has about a user, with the rows of all logs, as JSON')
    .argument('<email-or-id>')
    .option('--json', 'print JSON on one line')
    .action((user: string, options: Json) =>
      withDatabase(async (database, _config, origin) => {
        const exported = await exportUser(database, origin, user)
        if (!exported) throw new CommandError(`There is no user ${quoted(user)}.`, 'not_found')
        answer(options, exported, JSON.stringify(exported, null, 2))
      }),
    )
}

/** `user erase` */
export function eraseCommand(): Command {
  return new Command('erase')
    .description(
      'delete a disabled user and all data about the user, except the audit log; it cannot be undone',
    )
    .argument('<email-or-id>')
    .option('--json', 'print JSON')
    .action((user: string, options: Json) =>
      withDatabase(async (database, _config, origin) => {
        const outcome = await eraseUser(database, origin, user)
        if (outcome.kind === 'unknown')
          throw new CommandError(`There is no user ${quoted(user)}.`, 'not_found')
        if (outcome.kind === 'active') {
          throw new CommandError(
            `${outcome.id} is active. Remove the user from the platform's data, disable the user, and try again. Nothing was changed.`,
          )
        }
        const { id, grants, sessions, accountAccess } = outcome
        answer(
          options,
          { id, grants, sessions, account_access: accountAccess },
          `${id} is erased, with ${grants} grants, ${sessions} sessions and ${accountAccess} access rows. The read log has a pseudonym. The audit log keeps its records.`,
        )
      }),
    )
}
