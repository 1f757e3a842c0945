import { describe, expect, test } from 'vitest'
import { migrateUpTo } from '../../src/database/migrate.ts'
import { backupFixture, backupSecret, emptyDatabase } from '../support/backup.ts'
import { tokensFor } from '../support/connection.ts'
import { query, type TestDatabase } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { endpointOf, subjectOf } from '../support/events.ts'
import { databaseFixture } from '../support/fixtures.ts'
import { refresh } from '../support/journey.ts'
import { testServer } from '../support/server.ts'

const backups = await backupFixture({ users: ['ada', 'bob', 'cho', 'fay'] })
const { source, server, cliFor, backup, withRestored } = backups
const partner = await server.partner()

describe('a restore takes over from the replaced database', () => {
  test('what a database of an older schema knows', async () => {
    const { refreshToken } = await tokensFor(server, partner, 'bob')
    const file = await backup()
    const old = await emptyDatabase()
    await migrateUpTo(old.database, '0020_sandbox.sql')
    for (const table of ['firms', 'roles', 'users', 'partners', 'grants']) {
      const rows = await query(source.database, `SELECT to_jsonb(t) AS row FROM ${table} t`)
      for (const { row } of rows) {
        await query(
          old.database,
          `INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM jsonb_populate_record(NULL::${table}, $1)`,
          [row],
        )
      }
    }
    await query(old.database, `UPDATE users SET password_hash = 'of old' WHERE id = 'bob'`)
    await query(old.database, `UPDATE grants SET revoked_at = now() WHERE user_id = 'bob'`)
    await cliFor(backups.target).json('restore', file, '--replaces', old.url)
    await old.drop()
    const [bob] = await query(backups.target.database, `SELECT password_hash FROM users WHERE id = 'bob'`)
    expect(bob).toEqual({ password_hash: 'of old' })
    await withRestored(async (restored) => {
      expect((await refresh(restored, partner, refreshToken)).status).toBe(400)
    })
  })

  test('second factors, links to identity providers, and requirements', async () => {
    const { database } = source
    await seed(database, { users: [{ id: 'gil' }] })
    await tokensFor(server, partner, 'fay')
    const addPasskey = (id: string, user: string) =>
      query(
        database,
        `INSERT INTO passkeys (credential_id, user_id, public_key, counter, transports, synced, backed_up, name)
         VALUES ($1, $2, 'key', 0, '{}', false, false, 'x')`,
        [id, user],
      )
    const addProvider = (id: string, issuer: string, firm: string) =>
      query(
        database,
        `WITH provider AS (
           INSERT INTO identity_providers (id, name, issuer, client_id, auth_method, credential, claim, matches, firms, creates_firm,
                                           creates_role, scope)
           SELECT $1, 'x', $2, 'x', 'client_secret_basic', 'sealed', 'email', 'email', '{}', $3, name, 'openid' FROM roles LIMIT 1
           RETURNING id
         )
         INSERT INTO identity_provider_domains SELECT $1 || '.example', id FROM provider`,
        [id, issuer, firm],
      )
    const link = (provider: string, user: string) =>
      query(database, `INSERT INTO identities VALUES ($1, $2, $2)`, [provider, user])
    await addPasskey('stolen', 'ada')
    await addPasskey('of-gil', 'gil')
    await query(database, `INSERT INTO totp_secrets VALUES ('ada', 'sealed', 1), ('bob', 'sealed', 1)`)
    await query(database, `INSERT INTO recovery_codes VALUES ('ada', '{a}'), ('bob', '{used,left}')`)
    for (const id of ['kept', 'removed', 'reused']) {
      await addProvider(id, `https://${id}.example`, 'firm-1')
      await link(id, 'ada')
    }
    await link('kept', 'bob')
    const file = await backup()

    await cliFor(source).json('user', 'reset-factors', 'ada')
    await addPasskey('new', 'bob')
    await query(database, `DELETE FROM users WHERE id = 'gil'`)
    await query(database, `UPDATE totp_secrets SET last_step = 2`)
    await query(database, `UPDATE recovery_codes SET hashes = '{left}'`)
    await query(database, `DELETE FROM identities WHERE provider_id = 'kept' AND user_id = 'bob'`)
    await query(database, `DELETE FROM identity_providers WHERE id <> 'kept'`)
    await query(database, `INSERT INTO firms (id, name) VALUES ('new', 'x')`)
    await addProvider('reused', 'https://other.example', 'new')
    await link('reused', 'cho')
    const acr = 'urn:latchkey:acr:two-factor'
    await query(database, `UPDATE firms SET local_passwords = false, require_acr = '${acr}'`)
    await query(database, `UPDATE roles SET require_acr = '${acr}'`)
    await query(database, `UPDATE partners SET require_acr = '${acr}', grant_lifetime_days = 30`)
    await query(
      database,
      `UPDATE grants SET expires_at = now() + interval '30 days', end_notice_at = now() WHERE user_id = 'fay'`,
    )

    await cliFor(backups.target).json('restore', file, '--replaces', source.url)
    const stateOf = async ({ database }: TestDatabase) => ({
      passkeys: await query(
        database,
        `SELECT credential_id, public_key FROM passkeys WHERE user_id <> 'gil'`,
      ),
      totp: await query(database, 'SELECT * FROM totp_secrets'),
      codes: await query(database, 'SELECT * FROM recovery_codes'),
      providers: await query(database, 'SELECT id, issuer, credential FROM identity_providers ORDER BY id'),
      domains: await query(database, 'SELECT * FROM identity_provider_domains ORDER BY domain'),
      identities: await query(database, 'SELECT * FROM identities ORDER BY provider_id, sub'),
      firms: await query(database, `SELECT id, local_passwords, require_acr FROM firms WHERE id <> 'new'`),
      roles: await query(database, 'SELECT name, require_level FROM roles'),
      partners: await query(
        database,
        'SELECT client_id, require_acr, grant_lifetime_days FROM partners ORDER BY client_id',
      ),
      grants: await query(
        database,
        `SELECT id, expires_at, end_notice_at FROM grants WHERE user_id = 'fay' AND revoked_at IS NULL ORDER BY id`,
      ),
    })
    const expected = await stateOf(source)
    expect(expected).toMatchObject({ passkeys: [{ credential_id: 'new' }], codes: [{ user_id: 'bob' }] })
    expect(await stateOf(backups.target)).toEqual(expected)
    // The restored database does not have the firm of new users, and still has a user whom the replaced one lacks.
    expect(
      await query(backups.target.database, 'SELECT id, creates_firm FROM identity_providers ORDER BY id'),
    ).toEqual([
      { id: 'kept', creates_firm: 'firm-1' },
      { id: 'reused', creates_firm: null },
    ])
    expect(
      await query(backups.target.database, `SELECT user_id FROM passkeys WHERE user_id = 'gil'`),
    ).toHaveLength(1)

    await query(database, 'UPDATE firms SET local_passwords = true, require_acr = NULL')
    await query(database, 'UPDATE roles SET require_acr = NULL')
    await query(database, 'UPDATE partners SET require_acr = NULL')
    await query(database, 'DELETE FROM identity_providers; DELETE FROM totp_secrets; DELETE FROM passkeys')
  })

  test('operators and developers who were removed or disabled do not come back', async () => {
    const { database } = source
    for (const [kind, role] of [
      ['operator', `'owner'`],
      ['developer', undefined],
    ]) {
      await query(
        database,
        `WITH people AS (
           INSERT INTO ${kind}s (email, email_folded, name, password_hash${role ? ', role' : ''})
           SELECT email, email, email, 'old'${role ? `, ${role}` : ''} FROM unnest(ARRAY['gone', 'disabled', 'reset']) email RETURNING id
         ), totp AS (INSERT INTO ${kind}_totp_secrets SELECT id, 'sealed', 1 FROM people)
         INSERT INTO ${kind}_recovery_codes SELECT id, '{used,left}' FROM people`,
      )
    }
    const [other, deleted] = [await server.partner(), await server.partner()]
    await query(
      database,
      `INSERT INTO developer_memberships SELECT id, c, 'admin' FROM developers, unnest($1::text[]) c`,
      [[other.clientId, deleted.clientId]],
    )
    const file = await backup()
    for (const kind of ['operator', 'developer']) {
      await query(database, `DELETE FROM ${kind}s WHERE email = 'gone'`)
      await query(database, `UPDATE ${kind}s SET status = 'disabled' WHERE email = 'disabled'`)
      await query(
        database,
        `UPDATE ${kind}s SET password_hash = 'new', login_version = gen_random_uuid() WHERE email = 'reset'`,
      )
      await query(database, `DELETE FROM ${kind}_totp_secrets`)
      await query(database, `UPDATE ${kind}_recovery_codes SET hashes = '{left}'`)
    }
    await query(database, `UPDATE developer_memberships SET role = 'viewer'`)
    await query(database, 'DELETE FROM developer_memberships WHERE client_id = $1', [deleted.clientId])
    const later = await server.partner() // the restored database does not have it
    await query(database, `INSERT INTO developer_memberships SELECT id, $1, 'admin' FROM developers`, [
      later.clientId,
    ])
    await cliFor(backups.target).json('restore', file, '--replaces', source.url)
    await query(database, 'DELETE FROM developer_memberships WHERE client_id = $1', [later.clientId])
    for (const table of ['s', '_totp_secrets', '_recovery_codes', '_memberships'].flatMap((name) =>
      name === '_memberships' ? `developer${name}` : [`operator${name}`, `developer${name}`],
    )) {
      const rowsOf = (of: TestDatabase) => query(of.database, `SELECT * FROM ${table} t ORDER BY t::text`)
      const expected = await rowsOf(source)
      expect([table, await rowsOf(backups.target)]).toEqual([table, expected])
    }
    await query(database, 'DELETE FROM operators; DELETE FROM developers')
  })
})

describe('one restore takes over from the replaced database', async () => {
  const { database } = source
  const cli = cliFor(source)
  const target = await databaseFixture(emptyDatabase)
  const restored = cliFor(target)

  // Before the backup.
  const changed = await server.partner({ name: 'Changed' })
  await tokensFor(server, changed, 'fay')
  const told = await server.partner({ name: 'Told' })
  const [kept, removed] = [await endpointOf(server, told), await endpointOf(server, told)]
  for (const userId of ['ada', 'bob']) await tokensFor(server, told, userId)
  const subject = await subjectOf(server, told, 'ada')
  const deleted = await server.partner({ name: 'Deleted later' })
  const [{ kid }] = await cli.json('key', 'rotate', '--algorithm', 'ES256')
  await tokensFor(server, partner, 'cho')
  const endOfCho = (days: number) =>
    query(
      database,
      `UPDATE grants SET expires_at = date_trunc('day', now()) + make_interval(days => ${days}) WHERE user_id = 'cho'`,
    )
  await endOfCho(10)
  const file = await backup()

  // Between the backup and the restore.
  await cli.json('user', 'disable', 'fay')
  await cli.json('partner', 'update', changed.clientId, '--redirect-uri', 'https://new.example/callback')
  await cli.json('partner', 'update', changed.clientId, '--auth-method', 'client_secret_basic')
  // A login or an import replaced the hash. Imports compare with the digest.
  const credentials = 'password_hash, imported_hash_digest, login_version'
  await query(
    database,
    `UPDATE users SET (${credentials}) = ROW ('later', '\\x01'::bytea, gen_random_uuid()) WHERE id = 'ada'`,
  )
  await query(database, 'DELETE FROM webhook_endpoints WHERE id = $1', [removed])
  await query(database, `UPDATE grants SET revoked_at = now(), revoked_by = 'user' WHERE subject = $1`, [
    subject,
  ])
  await cli.json('partner', 'delete', deleted.clientId, '--confirm')
  await cli.json('key', 'remove', kid)
  await endOfCho(20)
  const credentialsOfAda = (of: TestDatabase) =>
    query(of.database, `SELECT ${credentials} FROM users WHERE id = 'ada'`)
  const replaced = await credentialsOfAda(source)
  await restored.json('restore', file, '--replaces', source.url)
  await cli.json('user', 'enable', 'fay')
  await query(database, `UPDATE grants SET expires_at = NULL WHERE user_id = 'cho'`)

  test('what the operator decided about users and partners', async () => {
    expect(replaced).toMatchObject([{ password_hash: 'later' }])
    expect(await credentialsOfAda(target)).toEqual(replaced)
    expect(await restored.json('user', 'show', 'fay')).toMatchObject({
      status: 'disabled',
      disabled_by_operator_at: expect.any(String),
    })
    expect(await restored.json('partner', 'show', changed.clientId)).toMatchObject({
      redirect_uris: ['https://new.example/callback'],
      auth_methods: ['client_secret_basic'],
    })
  })

  test('webhook endpoints; partners are told what ends with the restore, and not what was restored', async () => {
    const messages = await query(target.database, 'SELECT endpoint_id, type, data FROM webhook_messages')
    expect(messages).toMatchObject([
      { endpoint_id: kept, type: 'grant.revoked', data: { subject, by: 'user', reason: 'disconnected' } },
    ])
  })

  test('deleted partners and removed signing keys do not come back', async () => {
    expect(await restored.json('partner', 'show', deleted.clientId)).toMatchObject({ status: 'suspended' })
    expect(await restored.json('partner', 'show', partner.clientId)).toMatchObject({ status: 'active' })
    const keys = await restored.json('key', 'list')
    expect(keys.map((key: { kid: string }) => key.kid)).not.toContain(kid)
    const moved = await testServer({ on: target, secret: backupSecret })
    await moved.context.keyring.signer('ES256')
    await moved.close()
  })

  test('no end of a grant that was moved to later', async () => {
    const left = await query(
      target.database,
      `SELECT DISTINCT (expires_at::date - current_date) AS days FROM grants WHERE user_id = 'cho'`,
    )
    expect(left).toEqual([{ days: 10 }])
  })
})
