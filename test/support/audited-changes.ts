import { expect } from 'vitest'
import type { ListedRecord } from '../../src/audit/list.sql.ts'
import type { Origin } from '../../src/audit/origin.ts'
import type { Database } from '../../src/database/database.ts'
import { changeFirm, changeRole } from '../../src/directory/requirements.ts'
import { createUser, disableUser, enableUser, setPassword } from '../../src/directory/users.ts'
import { resetFactors } from '../../src/factors/reset-factors.ts'
import { applyLifetime, revokeGrant } from '../../src/grants/grants.ts'
import { rotateSigningKey } from '../../src/keys/keyring.ts'
import { createPartner, rotatePartnerSecret, setPartnerStatus } from '../../src/partners/partners.ts'
import { updatePartner } from '../../src/partners/update-partner.ts'
import { invite } from '../../src/recovery/invite.ts'
import { tokensFor } from './connection.ts'
import { query } from './database.ts'
import type { TestPartner, TestServer } from './server.ts'

type World = {
  server: TestServer
  partner: TestPartner
  /** Who makes the changes. */
  origin: Origin
  /** Remembers a secret, which no record may contain. */
  keep(secret: string | undefined): string
  /** The records since the last call. */
  records(): Promise<ListedRecord[]>
}

/** Changes by an operator, in this order: the event of the record, the change, and what the record says. */
type AuditedChange = [event: string, change: () => Promise<unknown>, record: object]

export function auditedChanges(world: World): AuditedChange[] {
  return [...ofPartners(world), ...ofUsers(world), ...ofRequirements(world), ...ofGrants(world)]
}

function ofPartners({ server: { database }, origin, keep }: World): AuditedChange[] {
  let clientId = ''
  return [
    [
      'partner.created',
      async () => {
        const made = await createPartner(database, origin, 'sandbox', {
          name: 'Ledger',
          redirectUris: ['https://ledger.example/cb'],
          requirePkce: true,
        })
        if (made.kind !== 'created') throw new Error('refused')
        clientId = made.clientId
        keep(made.clientSecret)
      },
      { target_kind: 'partner', details: { after: { name: 'Ledger', live_secrets: 1 } } },
    ],
    [
      'partner.updated',
      () =>
        updatePartner(database, origin, 'sandbox', clientId, {
          name: 'Ledger 2',
          limits: { expensive_reads: 2 },
        }),
      {
        details: {
          before: { name: 'Ledger', limits: {} },
          after: { name: 'Ledger 2', limits: { expensive_reads: 2 } },
        },
      },
    ],
    [
      'partner.secret_rotated',
      async () => {
        const rotated = await rotatePartnerSecret(database, origin, 'sandbox', clientId, false)
        if (rotated.kind === 'rotated') keep(rotated.clientSecret)
      },
      { details: { before: { live_secrets: 1 }, after: { live_secrets: 2 } } },
    ],
    [
      'partner.suspended',
      () => setPartnerStatus(database, origin, clientId, 'suspended'),
      { details: { before: { status: 'active' }, after: { status: 'suspended' } } },
    ],
    ['partner.resumed', () => setPartnerStatus(database, origin, clientId, 'active'), {}],
  ]
}

function ofUsers({ server: { database, context }, origin, keep }: World): AuditedChange[] {
  return [
    [
      'user.created',
      () =>
        createUser(database, origin, {
          id: 'new',
          firm: 'firm-1',
          email: 'new@example.com',
          name: 'New',
          role: 'sees-firm',
        }),
      {
        user_id: 'new',
        firm_id: 'firm-1',
        details: { after: { email: 'new@example.com', status: 'active' } },
      },
    ],
    [
      'user.password_set',
      () =>
        setPassword(database, origin, 'new', keep('a long password of the operator'), {
          service: 'Latchkey',
        }),
      { user_id: 'new', details: { by: 'operator', sessions_ended: 0 } },
    ],
    [
      'user.invited',
      async () => {
        const invited = await invite(database, origin, context.config, 'new')
        if (invited.kind === 'link') keep(invited.link.split('token=')[1])
      },
      { user_id: 'new', details: { mailed: false } },
    ],
    [
      'user.disabled',
      () => disableUser(database, origin, 'new'),
      { details: { after: { status: 'disabled' } } },
    ],
    [
      'user.enabled',
      () => enableUser(database, origin, 'new'),
      { details: { before: { status: 'disabled' } } },
    ],
    ['user.factors_reset', () => resetFactors(database, origin, 'new', false), { details: { passkeys: 0 } }],
  ]
}

function ofRequirements({ server: { database, context }, origin }: World): AuditedChange[] {
  return [
    [
      'firm.updated',
      () =>
        changeFirm(database, origin, 'firm-1', {
          localPasswords: true,
          requireAcr: 'urn:latchkey:acr:password',
        }),
      { target_id: 'firm-1', details: { after: { require_acr: 'urn:latchkey:acr:password' } } },
    ],
    ['role.updated', () => changeRole(database, origin, 'sees-firm', null), { target_id: 'sees-firm' }],
    [
      'key.rotated',
      () => rotateSigningKey(database, origin, context.keys, 'ES256'),
      { details: { algorithm: 'ES256' } },
    ],
  ]
}

function ofGrants({ server, partner, origin, records }: World): AuditedChange[] {
  const { database } = server
  return [
    [
      'grant.revoked',
      async () => {
        await tokensFor(server, partner, 'dan')
        await records()
        await revokeGrant(database, origin, { id: await grantOf(database, 'dan') })
      },
      { user_id: 'dan', client_id: partner.clientId, details: { cause: 'operator' } },
    ],
    [
      'grant.lifetime_applied',
      async () => {
        await tokensFor(server, partner, 'dan')
        await records()
        await applyLifetime(database, origin, { clientId: partner.clientId, defaultDays: 30 })
      },
      { user_id: 'dan', details: { after: { expires_at: expect.any(String) } } },
    ],
  ]
}

/** The id of the user's live grant. */
export async function grantOf(database: Database, userId: string): Promise<string> {
  const [row] = await query<{ id: string }>(
    database,
    'SELECT id FROM grants WHERE user_id = $1 AND revoked_at IS NULL ORDER BY id DESC LIMIT 1',
    [userId],
  )
  return row?.id ?? ''
}
