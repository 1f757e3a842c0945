import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { scopes } from '../../src/admin/scopes.ts'
import { adminCaller, adminOperations, newKey } from '../support/admin.ts'
import { commandLine } from '../support/command-line.ts'
import { tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { databaseFixture, serverFixture } from '../support/fixtures.ts'
import { testSecret } from '../support/server.ts'
import { withSession } from '../support/sessions.ts'

// Every change that a command and the admin API both make leaves the same audit record: only its origin differs.

const db = await databaseFixture()
const users = ['ada', 'bob', 'cli', 'api'].map((id) => ({ id }))
const server = await serverFixture({ on: db, users })
const cli = commandLine({ DATABASE_URL: db.url, LATCHKEY_SECRET: testSecret })
const call = adminCaller(server, await newKey(server, [...scopes]))
const redirect = 'https://partner.example/callback'
const jwk = {
  kty: 'EC',
  crv: 'P-256',
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
}
const { firm_id: firm, role } = (await call('GET', '/users/ada')).body

/** What a command or a request changes: created anew for each of both. */
type Subject = { id: string; door: 'cli' | 'api'; more?: string }
type UseCase = {
  operations: string[]
  subject?: (door: Subject['door']) => Promise<Omit<Subject, 'door'>>
  command: (subject: Subject) => string[]
  request: (subject: Subject) => [method: string, path: string, body?: unknown]
}

const partner = async () => ({ id: (await server.partner({ name: 'Same' })).clientId })
const grant = async () => {
  const { clientId, ...rest } = await server.partner({ name: 'Same' })
  await tokensFor(server, { clientId, ...rest }, 'ada')
  const [{ id }] = (await call('GET', `/grants?client_id=${clientId}`)).body.data
  return { id, more: clientId }
}
const user = async (door: string) => ({ id: door })
const newKid = async () => ({ id: (await call('POST', '/keys', { algorithm: 'ES256' })).body.data[0].kid })
const hash = `sha256:${createHash('sha256').update('a-secret-of-the-previous-service').digest('hex')}`

const useCases: Record<string, UseCase> = {
  'register a partner': {
    operations: ['createPartner'],
    command: () => [
      'partner',
      'create',
      '--name',
      'New',
      '--redirect-uri',
      redirect,
      '--requests-per-minute',
      '9',
    ],
    request: () => [
      'POST',
      '/partners',
      { name: 'New', redirect_uris: [redirect], limits: { requests_per_minute: 9 } },
    ],
  },
  'take over a partner': {
    operations: ['createPartner'],
    command: ({ door }) => [
      'partner',
      'create',
      '--name',
      'Old',
      '--redirect-uri',
      redirect,
      '--client-id',
      `old-${door}`,
      '--secret-hash',
      hash,
    ],
    request: ({ door }) => [
      'POST',
      '/partners',
      { name: 'Old', redirect_uris: [redirect], client_id: `old-${door}`, secret_hash: hash },
    ],
  },
  'change a partner': {
    operations: ['updatePartner'],
    subject: partner,
    command: ({ id }) => [
      'partner',
      'update',
      id,
      '--name',
      'Changed',
      '--site',
      'https://partner.example/',
      '--grant-lifetime-days',
      '30',
    ],
    request: ({ id }) => [
      'PATCH',
      `/partners/${id}`,
      { name: 'Changed', site: 'https://partner.example/', grant_lifetime_days: 30 },
    ],
  },
  'suspend a partner': {
    operations: ['suspendPartner'],
    subject: partner,
    command: ({ id }) => ['partner', 'suspend', id],
    request: ({ id }) => ['POST', `/partners/${id}/suspend`],
  },
  'resume a partner': {
    operations: ['resumePartner'],
    subject: partner,
    command: ({ id }) => ['partner', 'resume', id],
    request: ({ id }) => ['POST', `/partners/${id}/resume`],
  },
  'rotate a secret after a leak': {
    operations: ['rotatePartnerSecret'],
    subject: partner,
    command: ({ id }) => ['partner', 'rotate-secret', id, '--end-others'],
    request: ({ id }) => ['POST', `/partners/${id}/secrets`, { end_others: true }],
  },
  'delete a partner': {
    operations: ['deletePartner'],
    subject: async () => ({ id: (await grant()).more ?? '' }),
    command: ({ id }) => ['partner', 'delete', id, '--confirm'],
    request: ({ id }) => ['DELETE', `/partners/${id}?connected_users=1`],
  },
  'add a user': {
    operations: ['createUser'],
    command: ({ door }) => [
      'user',
      'create',
      '--id',
      `new-${door}`,
      '--firm',
      firm,
      '--email',
      `${door}@new.example`,
      '--name',
      'New',
      '--role',
      role,
    ],
    request: ({ door }) => [
      'POST',
      '/users',
      { id: `new-${door}`, firm_id: firm, email: `${door}@new.example`, name: 'New', role },
    ],
  },
  'invite a user': {
    operations: ['inviteUser'],
    subject: user,
    command: ({ id }) => ['user', 'invite', id],
    request: ({ id }) => ['POST', `/users/${id}/invitations`],
  },
  'reset second factors': {
    operations: ['resetFactors'],
    subject: user,
    command: ({ id }) => ['user', 'reset-factors', id],
    request: ({ id }) => ['DELETE', `/users/${id}/factors`],
  },
  'end sessions': {
    operations: ['endSessions'],
    subject: async (door) => {
      await withSession(server, door)
      return { id: door }
    },
    command: ({ id }) => ['user', 'end-sessions', id],
    request: ({ id }) => ['DELETE', `/users/${id}/sessions`],
  },
  'end one session': {
    operations: ['endSession'],
    subject: async (door) => {
      await withSession(server, door)
      return { id: door, more: (await call('GET', `/users/${door}/sessions`)).body.data[0].id }
    },
    command: ({ id, more = '' }) => ['user', 'end-sessions', id, '--session', more],
    request: ({ id, more }) => ['DELETE', `/users/${id}/sessions/${more}`],
  },
  'disable a user': {
    operations: ['disableUser'],
    subject: user,
    command: ({ id }) => ['user', 'disable', id],
    request: ({ id }) => ['POST', `/users/${id}/disable`],
  },
  'enable a user': {
    operations: ['enableUser'],
    subject: user,
    command: ({ id }) => ['user', 'enable', id],
    request: ({ id }) => ['POST', `/users/${id}/enable`],
  },
  'end a grant': {
    operations: ['revokeGrant'],
    subject: grant,
    command: ({ id }) => ['grant', 'revoke', id],
    request: ({ id }) => ['DELETE', `/grants/${id}`],
  },
  'limit the lifetime of grants': {
    operations: ['applyGrantLifetime'],
    subject: async () => {
      const { more = '' } = await grant()
      await call('PATCH', `/partners/${more}`, { grant_lifetime_days: 5 })
      return { id: more }
    },
    command: ({ id }) => ['grant', 'apply-lifetime', '--partner', id],
    request: ({ id }) => ['POST', '/grant-lifetimes', { client_id: id }],
  },
  'make the next signing key': {
    operations: ['rotateKeys'],
    command: () => ['key', 'rotate', '--algorithm', 'RS256'],
    request: () => ['POST', '/keys', { algorithm: 'RS256' }],
  },
  'remove a signing key that leaked': {
    operations: ['removeKey'],
    subject: newKid,
    command: ({ id }) => ['key', 'remove', id],
    request: ({ id }) => ['DELETE', `/keys/${id}`],
  },
  'create an API key': {
    operations: ['createApiKey'],
    command: () => ['api-key', 'create', '--name', 'CI', '--scope', 'keys:read', '--expires-in-days', '7'],
    request: () => ['POST', '/api-keys', { name: 'CI', scopes: ['keys:read'], expires_in_days: 7 }],
  },
  'revoke an API key': {
    operations: ['revokeApiKey'],
    subject: async () => ({
      id: (await call('POST', '/api-keys', { name: 'CI', scopes: ['keys:read'] })).body.id,
    }),
    command: ({ id }) => ['api-key', 'revoke', id],
    request: ({ id }) => ['DELETE', `/api-keys/${id}`],
  },
}

type Row = {
  id: string
  event: string
  target_kind: string
  via: string
  actor_kind: string
  details: unknown
}
const rowsAfter = (id: string) =>
  query<Row>(
    server.database,
    'SELECT id::text, event, target_kind, target_id, via, actor_kind, firm_id, details FROM audit_log WHERE id > $1 ORDER BY id',
    [id],
  )
const lastId = async () =>
  (await query<{ id: string }>(server.database, 'SELECT coalesce(max(id), 0)::text AS id FROM audit_log'))[0]
    ?.id ?? '0'

/** What the audit log has of a change, without the values that differ between two changes of the same kind. */
async function recordOf(change: () => Promise<unknown>) {
  const before = await lastId()
  await change()
  const rows = await rowsAfter(before)
  const record = rows.map(({ event, target_kind, details }) => ({
    event,
    target_kind,
    details: masked(details),
  }))
  return { record, origins: new Set(rows.map(({ via, actor_kind }) => `${via} ${actor_kind}`)) }
}

function masked(details: unknown): unknown {
  return JSON.parse(JSON.stringify(details), (name, value) =>
    /_at$|_from$|generation|new_key$/.test(name) && value !== null
      ? typeof value
      : value === 'cli'
        ? 'api'
        : value,
  )
}

test.each(Object.entries(useCases))(
  '%s: command and API leave the same audit record',
  async (_name, useCase) => {
    const subject = async (door: Subject['door']) => ({ id: '', ...(await useCase.subject?.(door)), door })
    const ofCommand = await subject('cli')
    const byCommand = await recordOf(() => cli.json(...useCase.command(ofCommand)))
    const [method, path, body] = useCase.request(await subject('api'))
    const byRequest = await recordOf(async () => {
      expect((await call(method, path, body)).status).toBeLessThan(300)
    })
    expect(byCommand.record).not.toEqual([])
    expect(text(byRequest.record)).toEqual(text(byCommand.record))
    expect([...byCommand.origins]).toEqual(['cli os_user'])
    expect([...byRequest.origins]).toEqual(['admin_api api_key'])
  },
)

/** The doors are in ids and addresses of the subjects. */
const text = (record: unknown) =>
  JSON.stringify(record, null, 1).replaceAll(/\b(cli|api)@|-(cli|api)"/g, 'door')

test('every operation of this document that changes something is compared, or has a reason', async () => {
  const compared = Object.values(useCases).flatMap(({ operations }) => operations)
  const elsewhere = new Set([
    'replacePartnerKeys', // below: a command reads a file
    'testProvider', // changes nothing
  ])
  const own = ['/partners', '/users', '/grants', '/grant-lifetimes', '/keys', '/api-keys', '/providers']
  const missing = (await adminOperations(server)).filter(
    ({ method, path, operationId }) =>
      method !== 'GET' &&
      own.some((start) => path === start || path.startsWith(`${start}/`)) &&
      !compared.includes(operationId) &&
      !elsewhere.has(operationId),
  )
  expect(missing).toEqual([])
})

test('the public keys of a partner are replaced', async () => {
  const made = await call('POST', '/partners', {
    name: 'Signs',
    redirect_uris: [redirect],
    auth_methods: ['private_key_jwt'],
    jwks: { keys: [{ ...jwk, kid: 'one' }] },
  })
  expect(made).toMatchObject({ status: 201, body: { key_ids: ['one'], live_secrets: 0 } })
  const replaced = await call('PUT', `/partners/${made.body.client_id}/keys`, {
    jwks: { keys: [{ ...jwk, kid: 'two' }] },
  })
  expect(replaced.body).toMatchObject({ key_ids: ['two'] })
  expect(await call('POST', `/partners/${made.body.client_id}/secrets`, {})).toMatchObject({ status: 409 })
})
