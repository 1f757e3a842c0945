import { readFile } from 'node:fs/promises'
import { text as textOf } from 'node:stream/consumers'
import { Command } from 'commander'
import { describeLeak, type LeakedCredential, reportLeak } from '../incidents/leaked-credentials.ts'
import { secretKeys } from '../secrets/secret-keys.ts'
import { answer, CommandError, withDatabase } from './command.ts'

export function leakCommand(): Command {
  return new Command('leak')
    .description('tokens, codes, secrets and API keys that were found in public')
    .addCommand(report())
}

function report(): Command {
  return new Command('report')
    .description('find credentials in a text by their prefix and checksum, and end each that works, at once')
    .argument('[file]', 'the text: a log, a file, a list; without it, standard input')
    .option('--source <where>', 'where it was found, for the audit log')
    .option('--json', 'print JSON')
    .action((file: string | undefined, options: { json?: boolean; source?: string }) =>
      withDatabase(async (database, config, origin) => {
        const text = await read(file)
        const deployment = { database, config, keys: secretKeys(config) }
        const credentials = await reportLeak(deployment, origin, { text, source: options.source })
        const lines = credentials.map(lineOf)
        answer(options, credentials.map(describeLeak), lines.join('\n') || 'The text has no credential.')
      }),
    )
}

async function read(file: string | undefined): Promise<string> {
  try {
    return file === undefined ? await textOf(process.stdin) : await readFile(file, 'utf8')
  } catch (error) {
    throw new CommandError(`${file ?? 'Standard input'} cannot be read: ${String(error)}`)
  }
}

const states: Record<LeakedCredential['state'], string> = {
  revoked: 'revoked now',
  not_live: 'had ended before',
  unknown: 'not issued here',
  other_environment: 'of the other environment: report it there',
}

function lineOf({ hint, state, clientId, userId, apiKeyId, liveSecrets }: LeakedCredential): string {
  const about = [
    clientId && `partner ${clientId}`,
    userId && `user ${userId}`,
    apiKeyId && `API key ${apiKeyId}`,
    liveSecrets === 0 && 'the partner has no secret left: `latchkey partner rotate-secret` gives it one',
  ].filter(Boolean)
  return [`${hint}  ${states[state]}`, ...about].join('; ')
}
