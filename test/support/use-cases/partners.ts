import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tokensFor } from '../connection.ts'
import { png } from '../pictures.ts'
import type { UseCases, World } from './use-case.ts'

const redirect = 'https://partner.example/callback'
const hash = `sha256:${createHash('sha256').update('a-secret-of-the-previous-service').digest('hex')}`
const jwk = {
  kty: 'EC',
  crv: 'P-256',
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
}
const keySet = (kid: string) => ({ keys: [{ ...jwk, kid }] })
const logo = png(64, 64)

/** A file for a command. @returns its path */
async function fileOf(name: string, content: string | Buffer): Promise<string> {
  const path = join(tmpdir(), `latchkey-${process.pid}-${name}`)
  await writeFile(path, content)
  return path
}

const partner = async ({ server }: World) => ({ id: (await server.partner({ name: 'Same' })).clientId })

const signing = async ({ call }: World) => {
  const body = {
    name: 'Signs',
    redirect_uris: [redirect],
    auth_methods: ['private_key_jwt'],
    jwks: keySet('one'),
  }
  const { client_id: id } = (await call('POST', '/partners', body)).body
  return { id, more: await fileOf('keys.json', JSON.stringify(keySet('two'))) }
}

/** A partner that a user has connected, and the grant. */
async function connected({ server, call }: World): Promise<{ id: string; more: string }> {
  const made = await server.partner({ name: 'Same' })
  await tokensFor(server, made, 'ada')
  const [{ id }] = (await call('GET', `/grants?client_id=${made.clientId}`)).body.data
  return { id, more: made.clientId }
}

export const partnerCases: UseCases = {
  'register a partner': {
    command: () => [
      ...['partner', 'create', '--name', 'New', '--redirect-uri', redirect],
      ...['--requests-per-minute', '9', '--require-pkce'],
    ],
    operation: 'createPartner',
    request: () => [
      ...(['POST', '/partners'] as const),
      { name: 'New', redirect_uris: [redirect], limits: { requests_per_minute: 9 }, require_pkce: true },
    ],
    form: () => ({
      page: '/partners/new',
      fields: { name: 'New', redirect_uris: redirect, requests_per_minute: '9', require_pkce: 'true' },
    }),
  },
  'take over a partner': {
    command: ({ door }) => [
      ...['partner', 'create', '--name', 'Old', '--redirect-uri', redirect],
      ...['--client-id', `old-${door}`, '--secret-hash', hash],
    ],
    operation: 'createPartner',
    request: ({ door }) => [
      ...(['POST', '/partners'] as const),
      { name: 'Old', redirect_uris: [redirect], client_id: `old-${door}`, secret_hash: hash },
    ],
    form: ({ door }) => ({
      page: '/partners/new',
      fields: { name: 'Old', redirect_uris: redirect, client_id: `old-${door}`, secret_hash: hash },
    }),
  },
  'change a partner': {
    subject: partner,
    command: ({ id }) => [
      ...['partner', 'update', id, '--name', 'Changed', '--site', 'https://partner.example/'],
      ...['--grant-lifetime-days', '30', '--require-pkce'],
      ...['--post-logout-redirect-uri', 'https://partner.example/bye'],
    ],
    operation: 'updatePartner',
    request: ({ id }) => [
      ...(['PATCH', `/partners/${id}`] as const),
      {
        ...{ name: 'Changed', site: 'https://partner.example/', grant_lifetime_days: 30 },
        ...{ require_pkce: true, post_logout_redirect_uris: ['https://partner.example/bye'] },
      },
    ],
    form: ({ id }) => ({
      page: `/partners/${id}/edit`,
      fields: {
        ...{ name: 'Changed', site: 'https://partner.example/', grant_lifetime_days: '30' },
        ...{ require_pkce: 'true', post_logout_redirect_uris: 'https://partner.example/bye' },
      },
    }),
  },
  'set the logo of a partner': {
    subject: async (world) => ({ ...(await partner(world)), more: await fileOf('logo.png', logo) }),
    command: ({ id, more }) => ['partner', 'update', id, '--logo', more],
    operation: 'updatePartner',
    request: ({ id }) => ['PATCH', `/partners/${id}`, { logo: logo.toString('base64') }],
    form: ({ id, more }) => ({ page: `/partners/${id}/logo`, fields: { logo: `file:${more}` } }),
  },
  'suspend a partner': {
    subject: partner,
    command: ({ id }) => ['partner', 'suspend', id],
    operation: 'suspendPartner',
    request: ({ id }) => ['POST', `/partners/${id}/suspend`],
    form: ({ id }) => ({ page: `/partners/${id}`, action: `/partners/${id}/suspend` }),
  },
  'resume a partner': {
    subject: async (world) => {
      const { id } = await partner(world)
      await world.call('POST', `/partners/${id}/suspend`)
      return { id }
    },
    command: ({ id }) => ['partner', 'resume', id],
    operation: 'resumePartner',
    request: ({ id }) => ['POST', `/partners/${id}/resume`],
    form: ({ id }) => ({ page: `/partners/${id}`, action: `/partners/${id}/resume` }),
  },
  'rotate a secret after a leak': {
    subject: partner,
    command: ({ id }) => ['partner', 'rotate-secret', id, '--end-others'],
    operation: 'rotatePartnerSecret',
    request: ({ id }) => ['POST', `/partners/${id}/secrets`, { end_others: true }],
    form: ({ id }) => ({ page: `/partners/${id}/secret`, fields: { end_others: 'true' } }),
  },
  'end the old secret': {
    subject: async (world) => {
      const { id } = await partner(world)
      await world.call('POST', `/partners/${id}/secrets`, {})
      return { id }
    },
    command: ({ id }) => ['partner', 'end-old-secret', id],
    operation: 'endOldPartnerSecrets',
    request: ({ id }) => ['DELETE', `/partners/${id}/secrets/old`],
    form: ({ id }) => ({ page: `/partners/${id}`, action: `/partners/${id}/end-old-secrets` }),
  },
  'replace the public keys of a partner': {
    subject: signing,
    command: ({ id, more }) => ['partner', 'set-keys', id, '--jwks', more],
    operation: 'replacePartnerKeys',
    request: ({ id }) => ['PUT', `/partners/${id}/keys`, { jwks: keySet('two') }],
    form: ({ id }) => ({ page: `/partners/${id}/keys`, fields: { jwks: JSON.stringify(keySet('two')) } }),
  },
  'delete a partner': {
    subject: async (world) => ({ id: (await connected(world)).more }),
    command: ({ id }) => ['partner', 'delete', id, '--confirm'],
    operation: 'deletePartner',
    request: ({ id }) => ['DELETE', `/partners/${id}?connected_users=1`],
    form: ({ id }) => ({ page: `/partners/${id}/delete`, fields: { confirmation: id } }),
  },
  'end a grant': {
    subject: connected,
    command: ({ id }) => ['grant', 'revoke', id],
    operation: 'revokeGrant',
    request: ({ id }) => ['DELETE', `/grants/${id}`],
    form: ({ id }) => ({ page: `/grants/${id}`, action: `/grants/${id}/end` }),
  },
  'limit the lifetime of grants': {
    subject: async (world) => {
      const { more } = await connected(world)
      await world.call('PATCH', `/partners/${more}`, { grant_lifetime_days: 5 })
      return { id: more }
    },
    command: ({ id }) => ['grant', 'apply-lifetime', '--partner', id],
    operation: 'applyGrantLifetime',
    request: ({ id }) => ['POST', '/grant-lifetimes', { client_id: id }],
    form: ({ id }) => ({ page: `/partners/${id}/apply-lifetime` }),
  },
}
