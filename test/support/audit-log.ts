import { mkdtempSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, inject } from 'vitest'
import { AuditChain } from '../../src/audit/chain.ts'
import type { SignedCheckpoint } from '../../src/audit/checkpoint.ts'
import { exportAudit } from '../../src/audit/export.ts'
import { systemOrigin } from '../../src/audit/origin.ts'
import { verifyAudit } from '../../src/audit/verify.ts'
import { verifyExport } from '../../src/audit/verify-export.ts'
import { type Database, queriesOn } from '../../src/database/database.ts'
import { createPartner } from '../../src/partners/partners.ts'
import { updatePartner } from '../../src/partners/update-partner.ts'
import type { SecretKeys } from '../../src/secrets/derived-keys.ts'
import { chainAll } from './audit.ts'
import { query } from './database.ts'
import { databaseFixture } from './fixtures.ts'
import { testKeys } from './server.ts'

type AuditLog = {
  database: Database
  keys: SecretKeys
  /** The checkpoints in the log of the servers. */
  lines: SignedCheckpoint[]
  /** What the servers have logged as errors. */
  errors: object[]
  /** Of the server that runs, another one for each test. */
  readonly chain: AuditChain
  /** @param logged checkpoints of a log, which are compared too */
  verify(logged?: SignedCheckpoint[]): ReturnType<typeof verifyAudit>
  exported(): Promise<string[]>
  verifyLines(lines: string[]): ReturnType<typeof verifyExport>
}

const tables = ['audit_log', 'audit_chain', 'audit_checkpoints']

/** An audit log with twelve rows and three checkpoints, which each test gets unchanged. */
export async function auditLogFixture(): Promise<AuditLog> {
  const { database } = await databaseFixture()
  const keys = testKeys('sandbox')
  const lines: SignedCheckpoint[] = []
  const errors: object[] = []
  const logger = {
    info: ({ event, ...checkpoint }: SignedCheckpoint & { event: string }) => {
      if (event === 'audit_checkpoint') lines.push(checkpoint)
    },
    error: (entry: object) => errors.push(entry),
  }
  const newChain = () => new AuditChain({ database, keys, logger: logger as never, now: () => new Date() })
  await addRows(database, newChain)
  await query(
    database,
    tables.map((table) => `CREATE TABLE kept_${table} AS SELECT * FROM ${table}`).join('; '),
  )
  let chain = newChain()
  beforeEach(async () => {
    chain = newChain()
    await query(database, tables.map((table) => `TRUNCATE ${table}`).join('; '))
    for (const table of tables) {
      const overriding = table === 'audit_log' ? 'OVERRIDING SYSTEM VALUE' : ''
      await query(database, `INSERT INTO ${table} ${overriding} SELECT * FROM kept_${table}`)
    }
  })
  const directory = mkdtempSync(join(inject('scratch'), 'audit-'))
  return {
    ...{ database, keys, lines, errors },
    get chain() {
      return chain
    },
    verify: (logged = []) =>
      database.withConnection((client) => verifyAudit(queriesOn(client), keys, logged)),
    exported: () =>
      database.withConnection(async (client) => {
        const exported: string[] = []
        for await (const line of exportAudit(queriesOn(client), keys, systemOrigin, {})) exported.push(line)
        return exported
      }),
    async verifyLines(exported) {
      const file = join(directory, 'export.ndjson')
      await writeFile(file, exported.map((line) => `${line}\n`).join(''))
      return verifyExport(file, keys)
    },
  }
}

async function addRows(database: Database, newChain: () => AuditChain): Promise<void> {
  for (let n = 1; n <= 6; n++) {
    const created = await createPartner(database, systemOrigin, 'sandbox', {
      name: `Partner ${n}`,
      redirectUris: ['https://partner.example/callback'],
      requirePkce: true,
    })
    if (created.kind !== 'created') throw new Error('refused')
    await updatePartner(database, systemOrigin, 'sandbox', created.clientId, { name: `Renamed ${n}` })
    await chainAll(database)
    if (n % 2 === 0) await newChain().sign()
  }
}
