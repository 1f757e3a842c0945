import { type Origin, originValue, systemOrigin } from '../audit/origin.ts'
import { recordEvent } from '../audit/record-event.ts'
import type { Config } from '../config.ts'
import { type Database, queriesOn } from '../database/database.ts'
import { keyIdOf } from '../secrets/derived-keys.ts'
import { secretKeys } from '../secrets/secret-keys.ts'
import { createDueKeys } from './keyring.ts'
import { endConnections, endPasswordLinks, forgetSecrets, recordCurrentSecret } from './secrets.sql.ts'

/**
 * Ends what was made with all earlier secrets, because one of them leaked: the connections with their codes and tokens,
 * the signing keys, whose private keys were encrypted with it, and the links to set a password. All or nothing. Grants and
 * sessions do not depend on a secret and stay. Servers with the old secret must be stopped.
 *
 * @param config with the new secret
 * @returns how many connections ended
 */
export function endOldSecrets(database: Database, origin: Origin, config: Config): Promise<number> {
  return database.withConnection(async (client) => {
    const queries = queriesOn(client)
    await client.query('BEGIN')
    await client.query('LOCK TABLE signing_keys')
    await client.query('DELETE FROM signing_keys')
    await createDueKeys(queries, origin, secretKeys(config), [])
    const ended = await queries.one(endConnections, [])
    await queries.run(endPasswordLinks, [])
    await queries.run(forgetSecrets, [])
    await queries.one(recordCurrentSecret, [
      keyIdOf(config.secret),
      config.authUrl,
      originValue(systemOrigin),
    ])
    await recordEvent(queries, origin, {
      event: 'secret.rotated',
      target: { kind: 'secret', id: keyIdOf(config.secret) },
      details: { compromised: true, connections_ended: ended.connections },
    })
    await client.query('COMMIT')
    return ended.connections
  })
}
