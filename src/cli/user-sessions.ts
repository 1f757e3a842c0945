import { Command } from 'commander'
import type { Database } from '../database/database.ts'
import { findUser } from '../directory/users.ts'
import { endSessions, listSessions } from '../sessions/sessions-of-user.ts'
import { quoted } from '../visible-text.ts'
import { answer, CommandError, withDatabase } from './command.ts'

type Json = { json?: boolean }

export function listSessionsCommand(): Command {
  return new Command('sessions')
    .description('list the browsers in which a user is logged in')
    .argument('<email-or-id>')
    .option('--json', 'print JSON')
    .action((user: string, options: Json) =>
      withDatabase(async (database) => {
        const sessions = await listSessions(database, await idOf(database, user))
        const lines = sessions.map(
          ({ id, browser, system, auth_time: since, last_seen_at: seen }) =>
            `${id}  ${browser ?? 'unknown browser'} on ${system ?? 'unknown system'}  since ${since.toISOString()}, last used ${seen.toISOString()}`,
        )
        const json = sessions.map(({ current: _, ...session }) => session)
        answer(options, json, lines.join('\n') || 'The user is not logged in.')
      }),
    )
}

export function endSessionsCommand(): Command {
  return new Command('end-sessions')
    .description('log a user out; connections of partners go on')
    .argument('<email-or-id>')
    .option('--session <id>', 'only this session, from `user sessions`')
    .option('--json', 'print JSON')
    .action((user: string, options: Json & { session?: string }) =>
      withDatabase(async (database, _config, origin) => {
        const id = await idOf(database, user)
        const ended = await endSessions(database, origin, id, options.session)
        if (options.session !== undefined && ended === 0) {
          throw new CommandError(`${id} has no session ${quoted(options.session)}.`, 'not_found')
        }
        const text = ended === 1 ? '1 session was ended.' : `${ended} sessions were ended.`
        answer(options, { id, sessions_ended: ended }, text)
      }),
    )
}

async function idOf(database: Database, user: string): Promise<string> {
  const found = await findUser(database, user)
  if (!found) throw new CommandError(`There is no user ${quoted(user)}.`, 'not_found')
  return found.id
}
