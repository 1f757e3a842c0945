import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { query } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { databaseFixture } from '../support/fixtures.ts'
import { foreignProvider } from '../support/foreign-provider.ts'
import { forgingProvider } from '../support/forging-provider.ts'
import { clientSecret } from '../support/idp.ts'
import { errorOf, latchkeyOn } from '../support/latchkey.ts'

const db = await databaseFixture()
await seed(db.database, { users: ['ada', 'bob'] })
const at = (id: string) => `http://localhost:4000/login/idp/${id}/callback`
const provider = await foreignProvider({
  client_id: 'latchkey',
  client_secret: clientSecret,
  redirect_uris: [at('firm'), at('again')],
})
const directory = mkdtempSync(join(tmpdir(), 'latchkey-idp-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))
const secretFile = join(directory, 'secret')
writeFileSync(secretFile, `${clientSecret}\n`)

const idp = (...args: string[]) => latchkeyOn(db.url, ['idp', ...args], clientSecret)
const json = async (...args: string[]) => JSON.parse((await idp(...args, '--json')).stdout)
const refusal = async (...args: string[]) => errorOf(await idp(...args, '--json'))

const settings = (issuer = provider.issuer) => [
  ...['--name', 'The Firm', '--issuer', issuer, '--client-id', 'latchkey'],
]

describe('the life of an identity provider', () => {
  test('add prints the addresses to register; the secret comes from standard input', async () => {
    expect(await json('add', 'firm', ...settings())).toEqual({
      id: 'firm',
      redirect_uri: at('firm'),
      post_logout_redirect_uri: 'http://localhost:4000/idp/firm/logged-out',
      backchannel_logout_uri: 'http://localhost:4000/idp/firm/backchannel-logout',
    })
  })

  test('test finds no fault, and reports each check', async () => {
    const { ok, checks } = await json('test', 'firm')
    expect(checks.filter((check: { ok: boolean }) => !check.ok)).toEqual([])
    expect(ok).toBe(true)
    expect(checks.map(({ check }: { check: string }) => check)).toEqual([
      'metadata',
      'id_token',
      'keys',
      'auth method',
      'client',
      'redirect URI',
      'claim',
      'logout',
    ])
  })

  test('test finds a wrong secret and an unregistered address, and says what to do', async () => {
    expect((await latchkeyOn(db.url, ['idp', 'set-credential', 'firm'], 'wrong')).code).toBe(0)
    const wrong = await idp('test', 'firm')
    expect(wrong.code).toBe(1)
    expect(wrong.stdout).toMatch(
      /^FAULT {2}client .*refuses the client with status 401.*latchkey idp set-credential firm$/m,
    )
    expect(await json('set-credential', 'firm', '--client-secret-file', secretFile)).toEqual({ id: 'firm' })
    expect((await idp('test', 'firm')).code).toBe(0)
    await query(db.database, `UPDATE identity_providers SET id = 'other'`)
    const unregistered = await idp('test', 'other')
    await query(db.database, `UPDATE identity_providers SET id = 'firm'`)
    expect(unregistered.stdout).toMatch(
      /^FAULT {2}redirect URI .*Register http:\/\/localhost:4000\/login\/idp\/other\/callback$/m,
    )
  })

  test('list and show; no output has the secret', async () => {
    const [listed] = await json('list')
    expect(listed).toMatchObject({ id: 'firm', name: 'The Firm', linked_users: 0, domains: [], firms: [] })
    const shown = await idp('show', 'firm')
    expect(shown.stdout).toContain(at('firm'))
    for (const { stdout } of [shown, await idp('list'), await idp('show', 'firm', '--json')]) {
      expect(stdout).not.toContain(clientSecret)
      expect(stdout).not.toContain('credential')
    }
  })

  test('link and unlink a user', async () => {
    expect(await json('link', 'firm', 'ADA@example.com', '--sub', 's1')).toEqual({
      id: 'firm',
      user_id: 'ada',
      sub: 's1',
    })
    expect((await refusal('link', 'firm', 'bob', '--sub', 's1')).message).toContain('unlink first')
    expect((await refusal('link', 'firm', 'ada', '--sub', 's2')).message).toContain('unlink first')
    expect((await refusal('link', 'firm', 'nobody', '--sub', 's3')).code).toBe('not_found')
    expect((await refusal('link', 'none', 'ada', '--sub', 's3')).code).toBe('not_found')
    expect(await json('unlink', 'firm', 'ada')).toEqual({
      id: 'firm',
      user_id: 'ada',
      sub: 's1',
      sessions_ended: 0,
    })
    expect((await refusal('unlink', 'firm', 'ada')).code).toBe('not_found')
  })

  test('remove says what happens to users', async () => {
    await idp('link', 'firm', 'ada', '--sub', 's1')
    await query(db.database, `UPDATE users SET password_hash = NULL WHERE id = 'ada'`)
    expect(await json('remove', 'firm')).toEqual({
      id: 'firm',
      linked_users: 1,
      sessions_ended: 0,
      users_without_password: 1,
    })
    expect((await refusal('remove', 'firm')).code).toBe('not_found')
    expect((await idp('list')).stdout).toContain('There are no identity providers')
  })
})

test('settings that cannot work are refused, all at once', async () => {
  await json('add', 'again', ...settings(), '--domain', 'a.example', 'b.example')
  const refused = async (...args: string[]) => (await refusal('add', ...args)).message
  const elsewhere = settings('https://login.example')
  expect(await refused('again', ...elsewhere)).toContain('the provider "again" already exists')
  expect(await refused('two', ...settings())).toContain('the provider "again" has this issuer already')
  expect(await refused('two', ...elsewhere, '--domain', 'A.example')).toContain(
    '"a.example" belongs to another provider',
  )
  const several = await refused('two', ...elsewhere, '--firm', 'nowhere', '--create-users', 'firm-1:nothing')
  expect(several).toContain('there is no firm "nowhere"; there is no role "nothing"')
  expect(
    await refused(
      'Two!',
      '--name',
      '',
      '--issuer',
      'http://login.example',
      '--client-id',
      'x',
      '--scope',
      'email',
    ),
  ).toMatch(/id: .*; name: is empty; issuer: must be https.*; scope: must contain openid/)
  const malformed = await refusal('add', 'two', ...elsewhere, '--create-users', 'firm-1')
  expect(malformed.code).toBe('usage')
  await idp('remove', 'again')
})

test('a provider with another issuer, and one that cannot be reached', async () => {
  const forging = await forgingProvider()
  await json('add', 'forging', ...settings(forging.issuer), '--auth-method', 'private_key_jwt')
  forging.metadata = { issuer: 'https://evil.example' }
  const other = await idp('test', 'forging')
  expect([other.code, other.stdout]).toEqual([
    1,
    expect.stringContaining('names the issuer "https://evil.example"'),
  ])
  await forging.close()
  const away = await idp('test', 'forging')
  expect([away.code, away.stdout]).toEqual([
    1,
    expect.stringContaining('Check the issuer and that this machine can reach it'),
  ])
  expect((await idp('show', 'forging')).stdout).toContain('http://localhost:4000/idp/forging/jwks.json')
})

test('doctor finds stored secrets of another LATCHKEY_SECRET', async () => {
  const check = async () => {
    const { stdout } = await latchkeyOn(db.url, ['doctor', '--json'])
    return JSON.parse(stdout).checks.find(({ check }: { check: string }) => check === 'stored secrets')
  }
  expect(await check()).toMatchObject({ ok: true })
  await query(db.database, `UPDATE identity_providers SET credential = '???' || substr(credential, 4)`)
  expect(await check()).toMatchObject({
    ok: false,
    detail: expect.stringContaining('latchkey idp set-credential ID'),
  })
})
