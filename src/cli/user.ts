import { Command } from 'commander'
import { createUser, disableUser, type NewUser, setPassword, type UserOutcome } from '../directory/users.ts'
import { answer, CommandError, withDatabase } from './command.ts'
import { readPassword } from './read-password.ts'

type Json = { json?: boolean }

export function userCommand(): Command {
  return new Command('user')
    .description('the users of the platform')
    .addCommand(create())
    .addCommand(setPasswordCommand())
    .addCommand(disable())
}

function create(): Command {
  return new Command('create')
    .description('add a user, who can log in once a password is set')
    .requiredOption('--id <id>', "the platform's id")
    .requiredOption('--firm <id>', 'the firm')
    .requiredOption('--email <address>', 'what the user logs in with')
    .requiredOption('--name <name>', 'what the user is called')
    .requiredOption('--role <name>', 'the role')
    .option('--json', 'print JSON')
    .action(async (options: NewUser & Json) => {
      const { id } = done(await withDatabase((database) => createUser(database, options)))
      const next = `latchkey user set-password ${id}`
      answer(options, { id }, `${id} is created, and can log in once there is a password: ${next}`)
    })
}

function setPasswordCommand(): Command {
  return new Command('set-password')
    .description('give a user the password on standard input, and end the sessions there are')
    .argument('<email-or-id>')
    .option('--json', 'print JSON')
    .action(async (user: string, options: Json) => {
      const password = await readPassword()
      const { id, sessionsEnded } = done(
        await withDatabase((database) => setPassword(database, user, password)),
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
    .description('shut a user out, and every partner that reads for this user')
    .argument('<email-or-id>')
    .option('--json', 'print JSON')
    .action(async (user: string, options: Json) => {
      const { id, sessionsEnded } = done(await withDatabase((database) => disableUser(database, user)))
      answer(options, { id, sessions_ended: sessionsEnded }, `${id} is disabled; ${sessions(sessionsEnded)}.`)
    })
}

function done(outcome: UserOutcome) {
  if (outcome.kind === 'done') return outcome
  throw new CommandError(`Nothing was changed: ${outcome.reasons.join('; ')}.`)
}

function sessions(ended: number): string {
  return ended === 1 ? '1 session was ended' : `${ended} sessions were ended`
}
