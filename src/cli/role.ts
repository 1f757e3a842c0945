import { Command } from 'commander'
import { type ListedRole, listRoles } from '../directory/requirements.sql.ts'
import { changeRole } from '../directory/requirements.ts'
import { quoted } from '../visible-text.ts'
import { requireAcrOption } from './acr-option.ts'
import { answer, CommandError, withDatabase } from './command.ts'

type Json = { json?: boolean }

export function roleCommand(): Command {
  return new Command('role')
    .description('list roles and set how strongly their users log in')
    .addCommand(list())
    .addCommand(update())
}

function list(): Command {
  return new Command('list')
    .description('list all roles')
    .option('--json', 'print JSON')
    .action((options: Json) =>
      withDatabase(async (database) => {
        const roles = await database.run(listRoles, [])
        answer(options, roles, roles.map(describe).join('\n') || 'There are no roles.')
      }),
    )
}

function update(): Command {
  return (
    new Command('update')
      .description('change how strongly the users of a role log in; imports do not change it')
      .argument('<name>')
      .addOption(requireAcrOption('users of the role connect'))
      .option('--no-require-acr', 'users of the role may connect with any login')
      .option('--json', 'print JSON')
      // False for `--no-require-acr`.
      .action((name: string, options: Json & { requireAcr?: string | false }) =>
        withDatabase(async (database, _, origin) => {
          const { requireAcr } = options
          if (requireAcr === undefined) {
            throw new CommandError('There is nothing to change. Pass --require-acr or --no-require-acr.')
          }
          const role = await changeRole(database, origin, name, requireAcr === false ? null : requireAcr)
          if (!role) throw new CommandError(`There is no role ${quoted(name)}.`, 'not_found')
          answer(options, role, describe(role))
        }),
      )
  )
}

function describe({ name, sees, require_acr: acr }: ListedRole): string {
  return [`${name}  sees ${sees}`, ...(acr === null ? [] : [`requires ${acr}`])].join('  ')
}
