import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { databaseFixture } from '../support/fixtures.ts'
import { latchkey } from '../support/latchkey.ts'
import { freePort } from '../support/ports.ts'

const db = await databaseFixture()
let dataDir: string
let taken: number
let holder: Server

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'latchkey-port-'))
  holder = createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  taken = (holder.address() as AddressInfo).port
})
afterEach(() => {
  holder.close()
  rmSync(dataDir, { recursive: true, force: true })
})

test.each(['LATCHKEY_PORT', 'PARTNER_URL'])(
  'a demo whose %s is in use reports it, exits, and leaves nothing running',
  async (name) => {
    const partnerPort = name === 'PARTNER_URL' ? taken : await freePort()
    const finished = await latchkey(['demo'], {
      DATABASE_URL: db.url,
      LATCHKEY_SECRET: 'the secret of the demo, 32 bytes or more',
      LATCHKEY_DATA_DIR: dataDir,
      LATCHKEY_PORT: String(name === 'LATCHKEY_PORT' ? taken : await freePort()),
      LATCHKEY_OPS_PORT: String(await freePort()),
      PARTNER_URL: `http://localhost:${partnerPort}/`,
    })
    expect(finished).toMatchObject({ code: 1, stdout: '' })
    expect(finished.stderr).toMatch(name === 'LATCHKEY_PORT' ? `uses port ${taken}` : /EADDRINUSE/)
    await expect(
      fetch(`http://127.0.0.1:${partnerPort}`, { signal: AbortSignal.timeout(500) }),
    ).rejects.toThrow()
  },
)
