import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, inject } from 'vitest'
import type { Addresses } from './journey.ts'
import type { TestPartner } from './server.ts'

const program = fileURLToPath(new URL('../../examples/partner-app/dist/main.js', import.meta.url))

/** Runs the built sample partner application until the file's last test. Its callback is `{partnerUrl}/callback`. */
export async function partnerAppFixture(
  { authUrl, baseUrl }: Addresses,
  { clientId, clientSecret }: Pick<TestPartner, 'clientId' | 'clientSecret'>,
  partnerUrl: string,
): Promise<void> {
  const app = spawn(process.execPath, [program], {
    env: {
      PATH: process.env.PATH,
      LATCHKEY_AUTH_URL: authUrl,
      LATCHKEY_BASE_URL: baseUrl,
      PARTNER_URL: partnerUrl,
      PARTNER_CLIENT_ID: clientId,
      PARTNER_CLIENT_SECRET: clientSecret,
      PARTNER_DATA_DIR: mkdtempSync(join(inject('scratch'), 'partner-app-')),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  afterAll(() => void app.kill())
  if (!app.stdout) throw new Error('no standard output')
  const [line] = await once(createInterface(app.stdout), 'line')
  expect(line).toBe(`partner app ready {"partner_url":"${partnerUrl}"}`)
}
