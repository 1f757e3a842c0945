import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeProtectedHeader } from 'jose'
import { expect, test } from 'vitest'
import { migrate } from '../../src/database/migrate.ts'
import { generateSigningKey } from '../../src/keys/signing-keys.ts'
import { deriveKeys } from '../../src/secrets/derived-keys.ts'
import { tokensFor } from '../support/connection.ts'
import { query, testDatabase } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { keysOf } from '../support/keys.ts'
import { testServer } from '../support/server.ts'

const secret = 'the secret that the older one had, too'

test('the key of a database from before key rotation continues to sign after the migration', async () => {
  const db = await testDatabase()
  const before = mkdtempSync(join(tmpdir(), 'latchkey-migrations-'))
  try {
    const older = readdirSync('migrations').filter((name) => name < '0004')
    for (const name of older) cpSync(join('migrations', name), join(before, name))
    await query(db.database, 'DROP SCHEMA public CASCADE')
    await query(db.database, 'CREATE SCHEMA public')
    expect(await migrate(db.database, before)).toEqual(older)
    const key = await generateSigningKey('RS256', deriveKeys(secret, 'sandbox')['signing-key'])
    await query(
      db.database,
      `INSERT INTO signing_keys (kid, algorithm, public_jwk, private_jwk) VALUES ($1, 'RS256', $2::jsonb, $3)`,
      [key.kid, key.publicJwk, key.sealedPrivateJwk],
    )
    await migrate(db.database)

    const server = await testServer({ on: db, secret })
    expect(await keysOf(server)).toEqual([
      { kid: expect.any(String), algorithm: 'ES256', generation: 1, opens: true },
      { kid: key.kid, algorithm: 'RS256', generation: 1, opens: true },
    ])
    await seed(db.database, { users: [{ id: 'ada' }], households: [] })
    const { idToken } = await tokensFor(server, await server.partner(), 'ada')
    expect(decodeProtectedHeader(idToken).kid).toBe(key.kid)
    await server.close()
  } finally {
    rmSync(before, { recursive: true })
    await db.drop()
  }
})
