import { Command, Option } from 'commander'
import { listKeys } from '../keys/key-states.ts'
import { rotateSigningKey } from '../keys/keyring.ts'
import { jwksMaxAgeSeconds, retirementHours, watchSeconds } from '../keys/lifetimes.ts'
import { removeSigningKey } from '../keys/remove-key.ts'
import type { SigningKeyRow } from '../keys/signing-keys.sql.ts'
import { type SigningAlgorithm, signingAlgorithms } from '../keys/signing-keys.ts'
import { secretKeys } from '../secrets/secret-keys.ts'
import { quoted } from '../visible-text.ts'
import { answer, CommandError, withDatabase } from './command.ts'
import { checkSecretIsInUse } from './secret-in-use.ts'

type Json = { json?: boolean }

export function keyCommand(): Command {
  return new Command('key')
    .description('list, rotate and remove the keys that sign id_tokens')
    .addCommand(list())
    .addCommand(rotate())
    .addCommand(remove())
}

function list(): Command {
  return new Command('list')
    .description('list all keys and their states: waiting, signing, published or retired')
    .option('--json', 'print JSON')
    .action((options: Json) =>
      withDatabase(async (database) => {
        const keys = await listKeys(database, new Date())
        const text = keys.map(
          (key) =>
            `${key.algorithm}  ${key.kid}  ${key.state.padEnd(9)}  from ${key.signs_from.toISOString()}`,
        )
        answer(options, keys, text.join('\n') || 'There are no keys yet. The first server creates them.')
      }),
    )
}

function rotate(): Command {
  return new Command('rotate')
    .description('create the next key; it signs after every partner has had time to read it')
    .addOption(new Option('--algorithm <algorithm>', 'only for this algorithm').choices(signingAlgorithms))
    .option('--json', 'print JSON')
    .action((options: Json & { algorithm?: SigningAlgorithm }) =>
      withDatabase(async (database, config, origin) => {
        const keys = secretKeys(config)
        await checkSecretIsInUse(database, config)
        const created: SigningKeyRow[] = []
        for (const algorithm of options.algorithm ? [options.algorithm] : signingAlgorithms) {
          created.push(await rotateSigningKey(database, origin, keys, algorithm))
        }
        const rotated = created.map(({ kid, algorithm, signs_from }) => ({ kid, algorithm, signs_from }))
        const lines = rotated.map(
          (key) => `${key.algorithm}  ${key.kid}  signs from ${key.signs_from.toISOString()}`,
        )
        const text = `${lines.join('\n')}\n\nEvery server publishes a new key within minutes. Until it signs, the previous key signs. After that, the\nprevious key stays published for ${retirementHours} hours. You do not need to restart a server.`
        answer(options, rotated, text)
      }),
    )
}

function remove(): Command {
  return new Command('remove')
    .description('take a key that leaked out of the JWKS at once; makes a new one if no newer key can sign')
    .argument('<kid>', 'the kid from `key list`')
    .option('--json', 'print JSON')
    .action((kid: string, options: Json) =>
      withDatabase(async (database, config, origin) => {
        await checkSecretIsInUse(database, config)
        const removed = await removeSigningKey(database, origin, secretKeys(config), kid)
        if (!removed) throw new CommandError(`There is no signing key ${quoted(kid)}.`, 'not_found')
        const { algorithm, new_kid: made, new_signs_from: from } = removed
        const lines = [
          `${algorithm}  ${kid}  removed`,
          ...(made && from ? [`${algorithm}  ${made}  signs from ${from.toISOString()}`] : []),
          '',
          `Within ${watchSeconds} seconds, no server publishes the key. A partner that keeps the JWKS in a cache accepts it for up to ${jwksMaxAgeSeconds / 60} minutes more.`,
        ]
        answer(options, removed, lines.join('\n'))
      }),
    )
}
