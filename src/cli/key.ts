import { Command, Option } from 'commander'
import { rotateSigningKey, signerAt } from '../keys/keyring.ts'
import { retirementHours } from '../keys/lifetimes.ts'
import { listSigningKeys, type SigningKeyRow } from '../keys/signing-keys.sql.ts'
import { type SigningAlgorithm, signingAlgorithms } from '../keys/signing-keys.ts'
import { secretKeys } from '../secrets/secret-keys.ts'
import { answer, withDatabase } from './command.ts'
import { checkSecretIsInUse } from './secret-in-use.ts'

type Json = { json?: boolean }

export function keyCommand(): Command {
  return new Command('key')
    .description('list and rotate the keys that sign id_tokens')
    .addCommand(list())
    .addCommand(rotate())
}

function list(): Command {
  return new Command('list')
    .description('list all keys and their states: waiting, signing, published or retired')
    .option('--json', 'print JSON')
    .action((options: Json) =>
      withDatabase(async (database) => {
        const rows = await database.run(listSigningKeys, [])
        const now = new Date()
        const keys = rows.map((row) => describe(row, rows, now))
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

type State = 'waiting' | 'signing' | 'published' | 'retired'

function describe(row: SigningKeyRow, rows: SigningKeyRow[], now: Date) {
  const { kid, algorithm, created_at, signs_from } = row
  return { kid, algorithm, state: stateOf(row, rows, now), created_at, signs_from }
}

function stateOf(row: SigningKeyRow, rows: SigningKeyRow[], now: Date): State {
  if (row.private_jwk === null) return 'retired'
  const live = rows.filter(({ private_jwk }) => private_jwk !== null)
  if (signerAt(live, row.algorithm, now) === row) return 'signing'
  return row.signs_from > now ? 'waiting' : 'published'
}
