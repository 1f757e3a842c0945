import { Command, Option } from 'commander'
import { type ListedOperator, listOperators } from '../operators/operators.sql.ts'
import {
  changeOperator,
  createOperator,
  type OperatorChange,
  removeOperator,
} from '../operators/operators.ts'
import { type Role, roles } from '../operators/scopes.ts'
import { resetCredentials, type SetupLink } from '../people/accounts.ts'
import { answer, CommandError, withDatabase } from './command.ts'
import { done } from './idp-link.ts'
import { checkSecretIsInUse } from './secret-in-use.ts'

type Json = { json?: boolean }

export function operatorCommand(): Command {
  return new Command('operator')
    .description('manage the operators, who sign in to the console')
    .addCommand(create())
    .addCommand(list())
    .addCommand(update())
    .addCommand(statusCommand('disable', 'disabled', 'end the sessions of an operator, and refuse new ones'))
    .addCommand(statusCommand('enable', 'active', 'let a disabled operator sign in again'))
    .addCommand(reset())
    .addCommand(remove())
}

const roleOption = () =>
  new Option(
    '--role <role>',
    'owner may do everything; support reads everything and helps users; read_only reads everything',
  ).choices(roles)

function create(): Command {
  return new Command('create')
    .description(
      'add an operator; prints a link with which the operator sets a password and a second factor, and mails it with LATCHKEY_SMTP_URL',
    )
    .requiredOption('--email <address>', 'the address with which the operator signs in')
    .requiredOption('--name <name>', 'the name of the operator')
    .addOption(roleOption().makeOptionMandatory())
    .option('--json', 'print JSON')
    .action((options: Json & { email: string; name: string; role: Role }) =>
      withDatabase(async (database, config, origin) => {
        await checkSecretIsInUse(database, config)
        const created = done(await createOperator(database, origin, config, options))
        const { json, text } = describeLink(created)
        const before = `${options.email} is an operator with the role ${options.role}.`
        answer(options, { id: created.id, ...json }, `${before}\n${text}`)
      }),
    )
}

function list(): Command {
  return new Command('list')
    .description('list the operators')
    .option('--json', 'print JSON')
    .action((options: Json) =>
      withDatabase(async (database) => {
        const operators = await database.run(listOperators, [null])
        const text = operators.map(describe).join('\n')
        const none =
          'There are no operators. Add the first: latchkey operator create --email … --name … --role owner'
        answer(options, operators, text || none)
      }),
    )
}

function describe(operator: ListedOperator): string {
  const { email, name, role, status, providers, has_password: hasPassword } = operator
  const ways = [...(hasPassword ? ['password and app'] : []), ...providers]
  const seen = operator.last_login_at?.toISOString() ?? 'never'
  const link = operator.link_expires_at ? `, setup link until ${operator.link_expires_at.toISOString()}` : ''
  return `${email}  ${name}  ${role}  ${status}  (signs in with: ${ways.join(', ') || 'nothing yet'}; last: ${seen}${link})`
}

function update(): Command {
  return new Command('update')
    .description('change an operator; a new role ends the sessions')
    .argument('<email-or-id>')
    .option('--name <name>', 'the name of the operator')
    .option('--email <address>', 'the address with which the operator signs in')
    .addOption(roleOption())
    .option('--json', 'print JSON')
    .action((operator: string, { json = false, ...change }: Json & OperatorChange) => {
      if (Object.keys(change).length === 0)
        throw new CommandError('Nothing was changed: name what to change, for example --role support.')
      return withDatabase(async (database, _config, origin) => {
        const { id, sessionsEnded } = done(await changeOperator(database, origin, operator, change))
        const text = `${operator} is changed; ${sessions(sessionsEnded)}.`
        answer({ json }, { id, sessions_ended: sessionsEnded }, text)
      })
    })
}

function statusCommand(name: string, status: 'active' | 'disabled', description: string): Command {
  return new Command(name)
    .description(description)
    .argument('<email-or-id>')
    .option('--json', 'print JSON')
    .action((operator: string, options: Json) =>
      withDatabase(async (database, _config, origin) => {
        const { id, sessionsEnded } = done(await changeOperator(database, origin, operator, { status }))
        const text = `${operator} is ${status}; ${sessions(sessionsEnded)}.`
        answer(options, { id, sessions_ended: sessionsEnded }, text)
      }),
    )
}

function reset(): Command {
  return new Command('reset')
    .description(
      'take password, second factor and provider accounts away from an operator; prints a new link',
    )
    .argument('<email-or-id>')
    .option('--json', 'print JSON')
    .action((operator: string, options: Json) =>
      withDatabase(async (database, config, origin) => {
        await checkSecretIsInUse(database, config)
        const outcome = done(await resetCredentials(database, origin, { config, kind: 'operator' }, operator))
        const { json, text } = describeLink(outcome)
        const before = `${operator} can no longer sign in; ${sessions(outcome.sessionsEnded)}.`
        const value = { id: outcome.id, sessions_ended: outcome.sessionsEnded, ...json }
        answer(options, value, `${before}\n${text}`)
      }),
    )
}

function remove(): Command {
  return new Command('remove')
    .description('remove an operator; what the operator did stays in the audit log')
    .argument('<email-or-id>')
    .option('--json', 'print JSON')
    .action((operator: string, options: Json) =>
      withDatabase(async (database, _config, origin) => {
        const { id } = done(await removeOperator(database, origin, operator))
        answer(options, { id }, `${operator} is removed.`)
      }),
    )
}

function describeLink({ link, expiresAt, isMailed }: SetupLink) {
  const until = expiresAt.toISOString()
  const mailed = isMailed ? ' It was mailed too.' : ''
  return {
    json: { setup_url: link, expires_at: until, mailed: isMailed },
    text: `Open this link to set a password and a second factor. It works once, until ${until}.${mailed}\n\n  ${link}\n`,
  }
}

function sessions(ended: number): string {
  return ended === 1 ? '1 session was ended' : `${ended} sessions were ended`
}
