import { Command } from 'commander'
import { foldCase } from '../directory/case-folding.ts'
import { listGrants, revokeGrant } from '../grants/grants.sql.ts'
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
    .description('live grants')
    .option('--user <id or email>', 'of one user')
    .option('--partner <client_id>', 'for one partner')
    .option('--json', 'print JSON')
    .action((options: Json & { user?: string; partner?: string }) =>
      withDatabase(async (database) => {
        const grants = await database.run(listGrants, [
          // Ids are told apart by case, addresses are not.
          options.user?.includes('@') ? foldCase(options.user) : (options.user ?? null),
          options.partner ?? null,
        ])
        const text = grants.map(
          (grant) => `${grant.id}  ${grant.email}  ${grant.partner_name} (${grant.client_id})`,
        )
        answer(options, grants, text.join('\n') || 'There are no live grants.')
      }),
    )
}

function revoke(): Command {
  return new Command('revoke')
    .description('end a grant; its tokens are dead on the next request')
    .argument('<id>', 'as `grant list` shows it')
    .option('--json', 'print JSON')
    .action((id: string, options: Json) =>
      withDatabase(async (database) => {
        const ended = /^\d{1,18}$/.test(id) ? await database.maybe(revokeGrant, [id, null]) : undefined
        if (!ended) throw new CommandError(`There is no live grant ${id}.`)
        answer(options, { revoked: id }, `Grant ${id} is revoked.`)
      }),
    )
}
