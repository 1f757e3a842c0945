import { Command, Option } from 'commander'
import { type DeveloperRole, developerRoles, plainRoleRights } from '../developer-keys/roles.ts'
import { type ListedDeveloper, listDevelopers } from '../developers/developers.sql.ts'
import { changeDeveloper, type DeveloperChange, removeDeveloper } from '../developers/developers.ts'
import { changeMember, inviteDeveloper, type MemberOutcome, removeMember } from '../developers/members.ts'
import { resetCredentials, type SetupLink } from '../people/accounts.ts'
import { quoted } from '../visible-text.ts'
import { answer, CommandError, withDatabase } from './command.ts'
import { done } from './idp-link.ts'
import { checkSecretIsInUse } from './secret-in-use.ts'

type Json = { json?: boolean }

export function developerCommand(): Command {
  return new Command('developer')
    .description('manage the developers of partners, who sign in to the developer pages')
    .addCommand(invite())
    .addCommand(list())
    .addCommand(update())
    .addCommand(reset())
    .addCommand(remove())
}

const roleOption = () => new Option('--role <role>', plainRoleRights).choices(developerRoles)

type Invitation = Json & { partner: string; email: string; name: string; role: DeveloperRole }

function invite(): Command {
  return new Command('invite')
    .description(
      'make someone a developer of a partner; prints a link with which a new developer sets up the account, and mails it with LATCHKEY_SMTP_URL',
    )
    .requiredOption('--partner <client_id>', 'the partner')
    .requiredOption('--email <address>', 'the address with which the developer signs in')
    .requiredOption('--name <name>', 'the name of the developer')
    .addOption(roleOption().makeOptionMandatory())
    .option('--json', 'print JSON')
    .action((options: Invitation) =>
      withDatabase(async (database, config, origin) => {
        await checkSecretIsInUse(database, config)
        const { partner: clientId, email, name, role } = options
        const by = { config, by: 'operator' } as const
        const outcome = await inviteDeveloper(database, origin, by, { clientId, email, name, role })
        if (outcome.kind === 'unknown') throw noSuchPartner(clientId)
        if (outcome.kind === 'refused') throw new CommandError(outcome.reasons.join('\n'))
        const isNew = outcome.kind === 'invited'
        const before = isNew
          ? `${email} is a developer of ${clientId} with the role ${role}.`
          : `${email} was a developer of ${clientId} before. The role is as it was.`
        const value = { id: outcome.id, was_member: !isNew, ...(outcome.link && linkValue(outcome.link)) }
        answer(options, value, `${before}\n${linkText(outcome.link)}`)
      }),
    )
}

function linkValue({ link, expiresAt, isMailed }: SetupLink) {
  return { setup_url: link, expires_at: expiresAt.toISOString(), mailed: isMailed }
}

function linkText(link: SetupLink | undefined): string {
  if (!link) return 'The account is set up already: the developer signs in with it.'
  const until = link.expiresAt.toISOString()
  const mailed = link.isMailed ? ' It was mailed too.' : ''
  return `Open this link to set a password and a second factor. It works once, until ${until}.${mailed}\n\n  ${link.link}\n`
}

function list(): Command {
  return new Command('list')
    .description('list the developers')
    .option('--partner <client_id>', 'only those of this partner')
    .option('--json', 'print JSON')
    .action((options: Json & { partner?: string }) =>
      withDatabase(async (database) => {
        const developers = await database.run(listDevelopers, [options.partner ?? null])
        const none =
          'There are no developers. Invite the first: latchkey developer invite --partner … --email … --name … --role admin'
        answer(options, developers, developers.map(describe).join('\n') || none)
      }),
    )
}

function describe(developer: ListedDeveloper): string {
  const { email, name, status, partners, providers, has_password: hasPassword } = developer
  const ways = [...(hasPassword ? ['password and app'] : []), ...providers]
  const seen = developer.last_login_at?.toISOString() ?? 'never'
  const memberships = partners.map(({ client_id: id, role }) => `${id}: ${role}`).join(', ')
  return `${email}  ${name}  ${status}  ${memberships || 'no partner'}  (signs in with: ${ways.join(', ') || 'nothing yet'}; last: ${seen})`
}

type Update = Json & DeveloperChange & { partner?: string; role?: DeveloperRole }

function update(): Command {
  return new Command('update')
    .description('change the account of a developer, or the role at a partner')
    .argument('<email-or-id>')
    .option('--name <name>', 'the name of the developer')
    .option('--email <address>', 'the address with which the developer signs in')
    .addOption(
      new Option('--status <status>', 'disabled ends the sessions, and refuses new ones').choices([
        'active',
        'disabled',
      ]),
    )
    .option('--partner <client_id>', 'the partner at which the role changes')
    .addOption(roleOption())
    .option('--json', 'print JSON')
    .action((developer: string, { json = false, partner: clientId, role, ...change }: Update) => {
      if ((clientId === undefined) !== (role === undefined))
        throw new CommandError('Nothing was changed: --role and --partner belong together.')
      if (Object.keys(change).length === 0 && role === undefined)
        throw new CommandError('Nothing was changed: name what to change, for example --status disabled.')
      return withDatabase(async (database, _config, origin) => {
        const values: object[] = []
        if (clientId !== undefined && role !== undefined) {
          const member = { clientId, developer, role }
          values.push({ id: memberId(await changeMember(database, origin, 'operator', member), member) })
        }
        if (Object.keys(change).length > 0) {
          const { id, sessionsEnded } = done(await changeDeveloper(database, origin, developer, change))
          values.push({ id, sessions_ended: sessionsEnded })
        }
        answer({ json }, Object.assign({}, ...values), `${developer} is changed.`)
      })
    })
}

function reset(): Command {
  return new Command('reset')
    .description(
      'take password, second factor and provider accounts away from a developer; prints a new link',
    )
    .argument('<email-or-id>')
    .option('--json', 'print JSON')
    .action((developer: string, options: Json) =>
      withDatabase(async (database, config, origin) => {
        await checkSecretIsInUse(database, config)
        const kind = 'developer'
        const outcome = done(await resetCredentials(database, origin, { config, kind }, developer))
        const { id, sessionsEnded } = outcome
        const before = `${developer} can no longer sign in; ${sessionsEnded} sessions have ended.`
        const value = { id, sessions_ended: sessionsEnded, ...linkValue(outcome) }
        answer(options, value, `${before}\n${linkText(outcome)}`)
      }),
    )
}

function remove(): Command {
  return new Command('remove')
    .description('remove a developer from a partner, or the whole account')
    .argument('<email-or-id>')
    .option('--partner <client_id>', 'only from this partner; the account and other partners stay')
    .option('--json', 'print JSON')
    .action((developer: string, options: Json & { partner?: string }) =>
      withDatabase(async (database, _config, origin) => {
        const { partner: clientId } = options
        if (clientId === undefined) {
          const { id } = done(await removeDeveloper(database, origin, developer))
          answer(options, { id }, `${developer} is removed.`)
          return
        }
        const member = { clientId, developer }
        const id = memberId(await removeMember(database, origin, 'operator', member), member)
        answer(options, { id }, `${developer} is no longer a developer of ${clientId}.`)
      }),
    )
}

function memberId(outcome: MemberOutcome, member: { clientId: string; developer: string }): string {
  if (outcome.kind === 'done') return outcome.id
  const { clientId, developer } = member
  throw new CommandError(`${quoted(developer)} is not a developer of ${quoted(clientId)}.`, 'not_found')
}

function noSuchPartner(clientId: string): CommandError {
  return new CommandError(`There is no partner ${quoted(clientId)}.`, 'not_found')
}
