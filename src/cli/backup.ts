import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command } from 'commander'
import { commandOrigin } from '../audit/origin.ts'
import { backUp } from '../backup/back-up.ts'
import { type EndingsSource, restore } from '../backup/restore.ts'
import { type Config, readConfig } from '../config.ts'
import type { Database } from '../database/database.ts'
import { connectDatabase } from '../database/open.ts'
import { secretKeys } from '../secrets/secret-keys.ts'
import { answer, CommandError, withDatabase } from './command.ts'

export function backupCommand(): Command {
  return new Command('backup')
    .description('write all data to one file; servers continue to run')
    .argument('<file>', 'the file to write; it must not exist yet')
    .option('--json', 'print JSON')
    .action(async (name: string, options: { json?: boolean }) => {
      const file = resolve(name)
      if (existsSync(file)) throw new CommandError(`${file} already exists. Nothing was written.`)
      const { createdAt, rows } = await withDatabase((database, { environment }) =>
        backUp(database, environment, file, new Date()),
      )
      const total = Object.values(rows).reduce((sum, count) => sum + count, 0)
      const text = [
        `${file} contains ${total} rows as of ${createdAt}.`,
        'A restore also needs LATCHKEY_SECRET. Keep the two in different places.',
      ]
      answer(options, { file, created_at: createdAt, rows }, text.join('\n'))
    })
}

type RestoreOptions = {
  json?: boolean
  replaces?: string
  endings?: string
  endAllGrants?: true
  tokenWindow: string
}

export function restoreCommand(): Command {
  return new Command('restore')
    .description('restore a backup into an empty database, and apply revocations since then')
    .argument('<file>', 'a file from `latchkey backup`')
    .option(
      '--replaces <place>',
      'read revocations from the database that this one replaces: a data directory, or postgres://…',
    )
    .option('--endings <file>', "read revocations from the server's log since the backup")
    .option('--end-all-grants', 'end every grant: users must connect their apps again')
    .option(
      '--token-window <days>',
      'accept refresh tokens that are newer than the backup, for 0 to 30 days',
      '7',
    )
    .option('--json', 'print JSON')
    .action(async (file: string, options: RestoreOptions) => {
      const config = readConfig(process.env)
      const days = daysOf(options.tokenWindow)
      const outcome = await withEndings(options, (endings) => restoreInto(config, file, endings, days))
      const { createdAt, rows, ended, tokenWindowDays } = outcome
      const text = [
        `Restored the data as of ${createdAt}.`,
        `Ended after the backup: ${ended.grants} grants, ${ended.connections} connections. ` +
          `Updated from the replaced database: ${ended.users} users, ${ended.partners} partners.`,
        tokenWindowDays > 0
          ? `For ${tokenWindowDays} days, refresh tokens that are newer than the backup are accepted.`
          : 'Refresh tokens that are newer than the backup are refused: their users must connect again.',
        'All access tokens have ended. Partners get new ones with their refresh tokens.',
        'All users must log in again.',
      ]
      answer(
        options,
        { created_at: createdAt, rows, ended, token_window_days: tokenWindowDays },
        text.join('\n'),
      )
    })
}

async function restoreInto(config: Config, file: string, endings: EndingsSource, tokenWindowDays: number) {
  // As the owner of the tables: the restore creates them. The server's role gets its rights at the next start.
  const { migrationUrl } = config
  const place = migrationUrl ? { ...config, databaseUrl: migrationUrl } : config
  const database = await connectDatabase(place, 'command', () => {})
  try {
    const { environment } = config
    return await restore(database, commandOrigin(), file, {
      environment,
      keys: secretKeys(config),
      endings,
      tokenWindowDays,
    })
  } finally {
    await database.close()
  }
}

function daysOf(text: string): number {
  if (/^\d{1,2}$/.test(text) && Number(text) <= 30) return Number(text)
  throw new CommandError('--token-window must be a number of days from 0 to 30. Nothing was changed.')
}

async function withEndings<T>(
  { replaces, endings, endAllGrants }: RestoreOptions,
  work: (endings: EndingsSource) => Promise<T>,
): Promise<T> {
  if ([replaces, endings, endAllGrants].filter((option) => option !== undefined).length !== 1) {
    throw new CommandError(
      'A restore must not connect apps that users disconnected after the backup. Choose the source of these changes:\n' +
        '  --replaces <place>   the database that this one replaces, if it can still be read\n' +
        "  --endings <file>     the server's log since the backup\n" +
        '  --end-all-grants     if you have neither: end every grant, and users connect their apps again\n' +
        'Nothing was changed.',
    )
  }
  if (endAllGrants) return work({ kind: 'all' })
  if (endings !== undefined) return work({ kind: 'log', file: endings })
  const replaced = await openReplaced(replaces ?? '')
  try {
    return await work({ kind: 'database', replaced })
  } finally {
    await replaced.close()
  }
}

function openReplaced(place: string): Promise<Database> {
  const isUrl = /^postgres(ql)?:\/\//.test(place)
  if (!isUrl && !existsSync(resolve(place, 'postgres'))) {
    throw new CommandError(
      `${place} is neither a data directory nor a postgres:// address. Nothing was changed.`,
    )
  }
  return connectDatabase(
    isUrl ? { databaseUrl: place, dataDir: '' } : { dataDir: resolve(place) },
    'command',
    () => {},
  )
}
