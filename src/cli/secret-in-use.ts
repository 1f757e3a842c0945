import type { Config } from '../config.ts'
import type { Queries } from '../database/database.ts'
import { openSigningKeys } from '../keys/keyring.ts'
import { readRotation } from '../keys/secret-rotation.ts'
import { secretKeys } from '../secrets/secret-keys.ts'
import { CommandError } from './command.ts'

/**
 * Call it before a command encrypts something that servers must read.
 * @throws {SecretMismatch} if the servers of this database use another secret
 * @throws {CommandError} if no server has started with the current secret yet
 */
export async function checkSecretIsInUse(database: Queries, config: Config): Promise<void> {
  await openSigningKeys(database, secretKeys(config))
  const { state } = await readRotation(database, config, new Date())
  if (state.kind !== 'switching') return
  throw new CommandError(
    'The secret was replaced, and no server has started with the new one: it could not read what is made now. ' +
      'Restart the server first. Nothing was changed.',
  )
}
