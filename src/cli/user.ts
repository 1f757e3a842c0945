import { Command } from 'commander'
import { type ListedUser, listUsers, type UserFacts } from '../directory/users.sql.ts'
import {
  createUser,
  disableUser,
  enableUser,
  findUser,
  type NewUser,
  setPassword,
  type UserOutcome,
} from '../directory/users.ts'
import { resetFactors } from '../factors/reset-factors.ts'
import { type InviteOutcome, invite } from '../recovery/invite.ts'
import { quoted } from '../visible-text.ts'
import { answer, CommandError, withDatabase } from './command.ts'
import { eraseCommand, exportCommand } from './person.ts'
import { readPassword } from './read-password.ts'
import { endSessionsCommand, listSessionsCommand } from './user-sessions.ts'
import { updateCommand } from './user-update.ts'

type Json = { json?: boolean }

export function userCommand(): Command {
  return new Command('user')
    .description('manage the users of the platform')
    .addCommand(create())
    .addCommand(list())
    .addCommand(show())
    .addCommand(updateCommand())
    .addCommand(setPasswordCommand())
    .addCommand(disable())
    .addCommand(enable())
    .addCommand(resetFactorsCommand())
    .addCommand(inviteCommand())
    .addCommand(listSessionsCommand())
    .addCommand(endSessionsCommand())
    .addCommand(exportCommand())
    .addCommand(eraseCommand())
}

function create(): Command {
  return new Command('create')
    .description('add a user; the user can log in after a password is set')
    .requiredOption('--id <id>', "the platform's id of the user")
    .requiredOption('--firm <id>', 'the firm')
    .requiredOption('--email <address>', 'the address with which the user logs in')
    .requiredOption('--name <name>', 'the name of the user')
    .requiredOption('--role <name>', 'the role')
    .option('--invite', 'also make a link with which the user can set a password, as `user invite` does')
    .option('--json', 'print JSON')
    .action((options: NewUser & Json & { invite?: true }) =>
      withDatabase(async (database, config, origin) => {
        const { id } = done(await createUser(database, origin, options))
        if (options.invite) {
          const { json, text } = describeInvitation(
            await invite(database, origin, config, id),
            `${id} was created. `,
          )
          return answer(options, json, text)
        }
        const next = `latchkey user invite ${id}, or latchkey user set-password ${id}`
        answer(options, { id }, `${id} was created. To let the user log in, set a password: ${next}`)
      }),
    )
}

function inviteCommand(): Command {
  return new Command('invite')
    .description(
      'mail a link with which the user can set a password; without LATCHKEY_SMTP_URL the link is printed',
    )
    .argument('<email-or-id>')
    .option('--json', 'print JSON')
    .action((user: string, options: Json) =>
      withDatabase(async (database, config, origin) => {
        const { json, text } = describeInvitation(await invite(database, origin, config, user))
        answer(options, json, text)
      }),
    )
}

/** `before` is what the command has done before. */
function describeInvitation(
  outcome: InviteOutcome,
  before = '',
): { json: Record<string, string>; text: string } {
  if (outcome.kind === 'refused') throw new CommandError(`${before}No link was made: ${outcome.reason}.`)
  const expires = outcome.expiresAt.toISOString()
  const until = `It works once, until ${expires}, and replaces earlier links.`
  if (outcome.kind === 'mailed') {
    const { id, email } = outcome
    return {
      json: { id, mailed_to: email, expires_at: expires },
      text: `${before}A link with which ${id} can set a password will be mailed to ${email}. ${until}`,
    }
  }
  const { id, link } = outcome
  return {
    json: { id, link, expires_at: expires },
    text: `${before}Give this link to ${id}, who can set a password with it. ${until}\n${link}`,
  }
}

function list(): Command {
  return new Command('list')
    .description('list all users')
    .option('--firm <id>', 'only users of this firm')
    .option('--disabled', 'only disabled users')
    .option('--json', 'print JSON')
    .action((options: Json & { firm?: string; disabled?: true }) =>
      withDatabase(async (database) => {
        const status = options.disabled ? 'disabled' : null
        const users = await database.run(listUsers, [options.firm ?? null, status])
        const text = users.map((user) => `${user.id}  ${user.email}  ${user.name}  (${statusOf(user)})`)
        answer(options, users, text.join('\n') || 'No users found.')
      }),
    )
}

function show(): Command {
  return new Command('show')
    .description('show one user')
    .argument('<email-or-id>')
    .option('--json', 'print JSON')
    .action((idOrEmail: string, options: Json) =>
      withDatabase(async (database) => {
        const user = await findUser(database, idOrEmail)
        if (!user) throw new CommandError(`There is no user ${quoted(idOrEmail)}.`, 'not_found')
        answer(options, user, describe(user))
      }),
    )
}

function describe(user: UserFacts): string {
  return [
    `id           ${user.id}`,
    `name         ${user.name}`,
    `email        ${user.email}`,
    `firm         ${user.firm_name} (${user.firm_id})`,
    `role         ${user.role}, sees ${user.sees}`,
    `status       ${statusOf(user)}`,
    `password     ${user.has_password ? 'set' : 'none: the user cannot log in'}`,
    `factors      ${factorsOf(user)}`,
    `sessions     ${user.sessions}`,
    `live grants  ${user.live_grants}`,
  ].join('\n')
}

type Factors = Pick<UserFacts, 'passkeys' | 'has_totp' | 'recovery_codes'>

function factorsOf({ passkeys, has_totp, recovery_codes: codes }: Factors): string {
  const factors = [
    passkeys > 0 ? counted(passkeys, 'passkey') : [],
    has_totp ? 'authenticator app' : [],
    codes > 0 ? counted(codes, 'recovery code') : [],
  ].flat()
  return factors.join(', ') || 'none'
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function statusOf({ status, disabled_by_operator_at: at }: ListedUser): string {
  return at === null ? status : `disabled by the operator since ${at.toISOString()}; imports do not change it`
}

function setPasswordCommand(): Command {
  return new Command('set-password')
    .description('set the password from standard input, and end all sessions of the user')
    .argument('<email-or-id>')
    .option('--json', 'print JSON')
    .action(async (user: string, options: Json) => {
      const password = await readPassword()
      const { id, sessionsEnded } = done(
        await withDatabase((database, { brand, mail }, origin) =>
          setPassword(database, origin, user, password, {
            service: brand.name,
            sendsMail: mail !== undefined,
          }),
        ),
      )
      answer(
        options,
        { id, sessions_ended: sessionsEnded },
        `The password of ${id} is set; ${sessions(sessionsEnded)}.`,
      )
    })
}

function disable(): Command {
  return new Command('disable')
    .description('block a user and all partners that read for this user; imports do not undo it')
    .argument('<email-or-id>')
    .option('--json', 'print JSON')
    .action(async (user: string, options: Json) => {
      const { id, sessionsEnded } = done(
        await withDatabase((database, _, origin) => disableUser(database, origin, user)),
      )
      answer(options, { id, sessions_ended: sessionsEnded }, `${id} is disabled; ${sessions(sessionsEnded)}.`)
    })
}

function enable(): Command {
  return new Command('enable')
    .description('make a disabled user active; a later import may disable the user again')
    .argument('<email-or-id>')
    .option('--json', 'print JSON')
    .action(async (user: string, options: Json) => {
      const { id } = done(await withDatabase((database, _, origin) => enableUser(database, origin, user)))
      answer(
        options,
        { id },
        `${id} is active. If the next import lists this user as disabled, it disables the user again.`,
      )
    })
}

function resetFactorsCommand(): Command {
  return new Command('reset-factors')
    .description('remove all second factors of a user who has lost them, and end all sessions of the user')
    .argument('<email-or-id>')
    .option('--json', 'print JSON')
    .action((user: string, options: Json) =>
      withDatabase(async (database, { mail }, origin) => {
        const removed = await resetFactors(database, origin, user, mail !== undefined)
        if (!removed) throw new CommandError(`There is no user ${quoted(user)}.`, 'not_found')
        const { id, passkeys, totp, recovery_codes, sessions_ended: ended } = removed
        const what = factorsOf({ passkeys, has_totp: totp, recovery_codes })
        answer(options, removed, `Removed from ${id}: ${what}; ${sessions(ended)}.`)
      }),
    )
}

function done(outcome: UserOutcome) {
  if (outcome.kind === 'done') return outcome
  throw new CommandError(`Nothing was changed: ${outcome.reasons.join('; ')}.`)
}

function sessions(ended: number): string {
  return ended === 1 ? '1 session was ended' : `${ended} sessions were ended`
}
