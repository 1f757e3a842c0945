import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPartner, type Deployment, importUsers, newDeployment } from '../support/deployment.ts'
import { readiness } from '../support/embedded.ts'
import type { RunningLatchkey } from '../support/latchkey.ts'
import { TokenTraffic } from '../support/token-traffic.ts'

const users = ['ann', 'bob']
/** The test mounts a file system, which requires root on Linux. */
const canMount = process.platform === 'linux' && process.getuid?.() === 0

let disk: string
let latchkey: Deployment
let server: RunningLatchkey
let traffic: TokenTraffic

beforeAll(async () => {
  if (!canMount) return
  disk = mkdtempSync(join(tmpdir(), 'latchkey-disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=400m,mode=0755', 'tmpfs', disk])
  latchkey = await newDeployment({ LATCHKEY_DATA_DIR: join(disk, 'data') })
  await importUsers(latchkey, users)
  const partner = await createPartner(latchkey)
  server = await latchkey.start()
  traffic = await TokenTraffic.of(latchkey, partner, users)
})
afterAll(async () => {
  if (!canMount) return
  await server?.stop()
  latchkey?.remove()
  execFileSync('umount', ['--lazy', disk])
  rmSync(disk, { recursive: true, force: true })
})

test.skipIf(!canMount)(
  '41: the disk of the database is full: 503, no token that was answered is lost, and it heals',
  {
    timeout: 10 * 60_000,
  },
  async () => {
    const filler = join(disk, 'filler')
    for (let round = 0; round < 3; round++) {
      await traffic.during(async () => {
        const { bavail, bsize } = statfsSync(disk)
        writeFileSync(filler, Buffer.alloc(bavail * bsize - round * 256 * 1024))
        const before = traffic.unavailable
        await expect.poll(() => traffic.unavailable, { timeout: 120_000 }).toBeGreaterThan(before + 20)
        rmSync(filler)
        await expect.poll(() => readiness(latchkey), { timeout: 60_000 }).toBe(200)
      })
      await traffic.expectRefreshTokensLive()
      await traffic.expectLive(traffic.ledger)
    }
  },
)
