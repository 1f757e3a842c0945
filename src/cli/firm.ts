import { Command, Option } from 'commander'
import { type ListedFirm, listFirms } from '../directory/requirements.sql.ts'
import { changeFirm } from '../directory/requirements.ts'
import { quoted } from '../visible-text.ts'
import { requireAcrOption } from './acr-option.ts'
import { answer, CommandError, withDatabase } from './command.ts'

type Json = { json?: boolean }
/** `requireAcr` is false for `--no-require-acr`. */
type UpdateOptions = Json & { requireAcr?: string | false; localPasswords?: 'on' | 'off' }

export function firmCommand(): Command {
  return new Command('firm')
    .description('list firms and set how their users log in')
    .addCommand(list())
    .addCommand(update())
}

function list(): Command {
  return new Command('list')
    .description('list all firms')
    .option('--json', 'print JSON')
    .action((options: Json) =>
      withDatabase(async (database) => {
        const firms = await database.run(listFirms, [])
        answer(options, firms, firms.map(describe).join('\n') || 'There are no firms.')
      }),
    )
}

function update(): Command {
  return new Command('update')
    .description('change how the users of a firm log in; imports do not change it')
    .argument('<id>')
    .addOption(requireAcrOption('its users connect'))
    .option('--no-require-acr', 'its users may connect with any login')
    .addOption(
      new Option('--local-passwords <state>', 'whether its users may log in with a password here').choices([
        'on',
        'off',
      ]),
    )
    .option('--json', 'print JSON')
    .action((id: string, options: UpdateOptions) =>
      withDatabase(async (database, _, origin) => {
        const { requireAcr, localPasswords } = options
        if (requireAcr === undefined && localPasswords === undefined) {
          throw new CommandError('There is nothing to change. Pass --require-acr or --local-passwords.')
        }
        const firm = await changeFirm(database, origin, id, {
          requireAcr: requireAcr === false ? null : requireAcr,
          localPasswords: localPasswords === undefined ? undefined : localPasswords === 'on',
        })
        if (!firm) throw new CommandError(`There is no firm ${quoted(id)}.`, 'not_found')
        answer(options, firm, describe(firm))
      }),
    )
}

function describe({ id, name, require_acr: acr, local_passwords: passwords }: ListedFirm): string {
  const settings = [acr === null ? [] : `requires ${acr}`, passwords ? [] : 'no local passwords'].flat()
  return [`${id}  ${name}`, ...settings].join('  ')
}
