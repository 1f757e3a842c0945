import { Command } from 'commander'
import { foldCase } from '../directory/case-folding.ts'
import { type Grant, listGrants } from '../grants/grants.sql.ts'
import { applyLifetime, revokeGrant } from '../grants/grants.ts'
import { answer, CommandError, withDatabase } from './command.ts'

type Json = { json?: boolean }

export function grantCommand(): Command {
  return new Command('grant')
    .description('list and end grants: which user shares with which partner')
    .addCommand(list())
    .addCommand(revoke())
    .addCommand(applyLifetimeCommand())
}

function list(): Command {
  return new Command('list')
    .description('list live grants; with --all, ended grants too')
    .option('--all', 'also list ended grants, with the time and the person who ended them')
    .option('--user <id or email>', 'only grants of this user')
    .option('--partner <client_id>', 'only grants for this partner')
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
  const { id, email, partner_name: name, client_id: clientId } = grant
  return [`${id}  ${email}  ${name} (${clientId})`, ...endOf(grant)].join('  ')
}

function endOf({ revoked_at: ended, revoked_by: by, expires_at: end }: Grant): string[] {
  if (!ended) return end ? [`ends ${end.toISOString()}`] : []
  if (by === 'expiry') return [`expired ${ended.toISOString()}`]
  return [`ended ${ended.toISOString()} ${by ? `by the ${by}` : '(not recorded by whom)'}`]
}

function revoke(): Command {
  return new Command('revoke')
    .description('end a grant; its tokens are refused from the next request on')
    .argument('<id>', 'the id from `grant list`')
    .option('--json', 'print JSON')
    .action((id: string, options: Json) =>
      withDatabase(async (database, _, origin) => {
        const ended = await revokeGrant(database, origin, { id })
        if (!ended) throw new CommandError(`There is no live grant ${id}.`, 'not_found')
        answer(options, { revoked: id }, `Grant ${id} is revoked.`)
      }),
    )
}

function applyLifetimeCommand(): Command {
  return new Command('apply-lifetime')
    .description(
      'end live grants no later than a consent of now would end, after the configured lifetime was set or made shorter',
    )
    .option('--partner <client_id>', 'only grants for this partner')
    .option('--json', 'print JSON')
    .action((options: Json & { partner?: string }) =>
      withDatabase(async (database, { grantLifetimeDays: defaultDays }, origin) => {
        const limited = await applyLifetime(database, origin, { clientId: options.partner, defaultDays })
        answer(options, { limited }, `${limited} grants now end earlier.`)
      }),
    )
}
