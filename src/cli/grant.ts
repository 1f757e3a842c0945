import { Command } from 'commander'
import { foldCase } from '../directory/case-folding.ts'
import { type Grant, listGrants, revokeGrant } from '../grants/grants.sql.ts'
import { answer, CommandError, withDatabase } from './command.ts'

type Json = { json?: boolean }

export function grantCommand(): Command {
  return new Command('grant')
    .description('who shares with whom, and ending it')
    .addCommand(list())
    .addCommand(revoke())
}

function list(): Command {
  return new Command('list')
    .description('live grants; with --all, ended ones too')
    .option('--all', 'ended grants as well, with when and by whom they were ended')
    .option('--user <id or email>', 'of one user')
    .option('--partner <client_id>', 'for one partner')
    .option('--json', 'print JSON')
    .action((options: Json & { all?: true; user?: string; partner?: string }) =>
      withDatabase(async (database) => {
        const grants = await database.run(listGrants, [
          // Ids are case-sensitive, addresses are not.
          options.user?.includes('@') ? foldCase(options.user) : (options.user ?? null),
          options.partner ?? null,
          options.all ?? false,
        ])
        const none = options.all ? 'There are no grants.' : 'There are no live grants.'
        answer(options, grants, grants.map(describe).join('\n') || none)
      }),
    )
}

function describe(grant: Grant): string {
  const { id, email, partner_name: name, client_id: clientId, revoked_at: at, revoked_by: by } = grant
  const ended = at ? `  ended ${at.toISOString()} ${by ? `by the ${by}` : '(by whom was not recorded)'}` : ''
  return `${id}  ${email}  ${name} (${clientId})${ended}`
}

function revoke(): Command {
  return new Command('revoke')
    .description('end a grant; its tokens are dead on the next request')
    .argument('<id>', 'as `grant list` shows it')
    .option('--json', 'print JSON')
    .action((id: string, options: Json) =>
      withDatabase(async (database) => {
        const ended = /^\d{1,18}$/.test(id) ? await database.maybe(revokeGrant, [id, null]) : undefined
        if (!ended) throw new CommandError(`There is no live grant ${id}.`, 'not_found')
        answer(options, { revoked: id }, `Grant ${id} is revoked.`)
      }),
    )
}
