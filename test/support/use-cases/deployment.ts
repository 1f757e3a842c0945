import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { twoFactorAcr } from '../../../src/acr.ts'
import { addOperator } from '../operators.ts'
import type { Door, UseCases, World } from './use-case.ts'

const newKid = async ({ call }: World) => ({
  id: (await call('POST', '/keys', { algorithm: 'ES256' })).body.data[0].kid,
})

const operator = async ({ server }: World, door: Door) => {
  const email = `${door}-${Math.random().toString(36).slice(2)}@operators.example`
  return { id: (await addOperator(server, { email, name: 'Otto', role: 'support' })).id }
}

const disabledOperator = async (world: World, door: Door) => {
  const { id } = await operator(world, door)
  await world.call('PATCH', `/operators/${id}`, { status: 'disabled' })
  return { id }
}

const leakedSecret = async ({ server }: World) => {
  const { clientSecret } = await server.partner({ name: 'Leaks' })
  const file = join(tmpdir(), `latchkey-${process.pid}-leak.txt`)
  await writeFile(file, clientSecret)
  return { id: clientSecret, more: file }
}

export const deploymentCases: UseCases = {
  'make the next signing keys': {
    command: () => ['key', 'rotate'],
    operation: 'rotateKeys',
    request: () => ['POST', '/keys', {}],
    form: () => ({ page: '/keys', action: '/keys/rotate' }),
  },
  'remove a signing key that leaked': {
    subject: newKid,
    command: ({ id }) => ['key', 'remove', id],
    operation: 'removeKey',
    request: ({ id }) => ['DELETE', `/keys/${id}`],
    form: ({ id }) => ({ page: `/keys/${id}/remove`, fields: { confirmation: id } }),
  },
  'end a secret that leaked': {
    subject: leakedSecret,
    command: ({ more }) => ['leak', 'report', more, '--source', 'a forum'],
    operation: 'reportLeakedCredentials',
    request: ({ id }) => ['POST', '/leaked-credentials', { text: id, source: 'a forum' }],
    form: ({ id }) => ({ page: '/incidents', fields: { text: id, source: 'a forum' } }),
  },
  'create an API key': {
    command: () => [
      ...['api-key', 'create', '--name', 'CI', '--scope', 'keys:read', '--expires-in-days', '7'],
    ],
    operation: 'createApiKey',
    request: () => ['POST', '/api-keys', { name: 'CI', scopes: ['keys:read'], expires_in_days: 7 }],
    form: () => ({
      page: '/api-keys/new',
      fields: { name: 'CI', scopes: 'keys:read', expires_in_days: '7' },
    }),
  },
  'revoke an API key': {
    subject: async ({ call }) => ({
      id: (await call('POST', '/api-keys', { name: 'CI', scopes: ['keys:read'] })).body.id,
    }),
    command: ({ id }) => ['api-key', 'revoke', id],
    operation: 'revokeApiKey',
    request: ({ id }) => ['DELETE', `/api-keys/${id}`],
    form: ({ id }) => ({ page: '/api-keys', action: `/api-keys/${id}/revoke` }),
  },
  'add an operator': {
    command: ({ door }) => [
      ...[
        'operator',
        'create',
        '--email',
        `${door}@operators.example`,
        '--name',
        'Olga',
        '--role',
        'support',
      ],
    ],
    operation: 'createOperator',
    request: ({ door }) => [
      ...(['POST', '/operators'] as const),
      { email: `${door}@operators.example`, name: 'Olga', role: 'support' },
    ],
    form: ({ door }) => ({
      page: '/operators/new',
      fields: { email: `${door}@operators.example`, name: 'Olga', role: 'support' },
    }),
  },
  'change an operator': {
    subject: operator,
    command: ({ id, door }) => [
      ...['operator', 'update', id, '--name', 'Olaf', '--role', 'read_only'],
      ...['--email', `${door}@changed.example`],
    ],
    operation: 'updateOperator',
    request: ({ id, door }) => [
      ...(['PATCH', `/operators/${id}`] as const),
      { name: 'Olaf', role: 'read_only', email: `${door}@changed.example` },
    ],
    form: ({ id, door }) => ({
      page: `/operators/${id}`,
      action: `/operators/${id}/edit`,
      fields: { name: 'Olaf', role: 'read_only', email: `${door}@changed.example` },
    }),
  },
  'disable an operator': {
    subject: operator,
    command: ({ id }) => ['operator', 'disable', id],
    operation: 'updateOperator',
    request: ({ id }) => ['PATCH', `/operators/${id}`, { status: 'disabled' }],
    form: ({ id }) => ({ page: `/operators/${id}`, action: `/operators/${id}/disable` }),
  },
  'enable an operator': {
    subject: disabledOperator,
    command: ({ id }) => ['operator', 'enable', id],
    operation: 'updateOperator',
    request: ({ id }) => ['PATCH', `/operators/${id}`, { status: 'active' }],
    form: ({ id }) => ({ page: `/operators/${id}`, action: `/operators/${id}/enable` }),
  },
  'let an operator set up the account again': {
    subject: operator,
    command: ({ id }) => ['operator', 'reset', id],
    operation: 'resetOperator',
    request: ({ id }) => ['POST', `/operators/${id}/reset`],
    form: ({ id }) => ({ page: `/operators/${id}/reset` }),
  },
  'remove an operator': {
    subject: operator,
    command: ({ id }) => ['operator', 'remove', id],
    operation: 'removeOperator',
    request: ({ id }) => ['DELETE', `/operators/${id}`],
    form: ({ id }) => ({ page: `/operators/${id}/remove` }),
  },
  'change how the users of a firm log in': {
    subject: async ({ call, firm }) => {
      await call('PATCH', `/firms/${firm}`, { local_passwords: true })
      return { id: firm }
    },
    command: ({ id }) => ['firm', 'update', id, '--local-passwords', 'off'],
    operation: 'updateFirm',
    request: ({ id }) => ['PATCH', `/firms/${id}`, { local_passwords: false }],
    form: ({ id }) => ({
      page: '/settings',
      action: `/settings/firms/${id}`,
      fields: { local_passwords: '' },
    }),
  },
  'change how the users of a role log in': {
    subject: async ({ call, role }) => {
      await call('PATCH', `/roles/${role}`, { require_acr: null })
      return { id: role }
    },
    command: ({ id }) => ['role', 'update', id, '--require-acr', twoFactorAcr],
    operation: 'updateRole',
    request: ({ id }) => ['PATCH', `/roles/${id}`, { require_acr: twoFactorAcr }],
    form: ({ id }) => ({
      page: '/settings',
      action: `/settings/roles/${id}`,
      fields: { require_acr: twoFactorAcr },
    }),
  },
  'export the audit log': {
    command: () => ['audit', 'export', '--since', '2020-01-01T00:00Z', '--until', '2020-01-02T00:00Z'],
    operation: 'exportAudit',
    request: () => [
      ...(['POST', '/audit/exports'] as const),
      { since: '2020-01-01T00:00:00Z', until: '2020-01-02T00:00:00Z' },
    ],
    form: () => ({ page: '/audit/export', fields: { since: '2020-01-01', until: '2020-01-01' } }),
  },
}
