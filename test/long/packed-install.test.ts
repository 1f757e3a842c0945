import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startLatchkey } from '../support/latchkey.ts'
import { freePort } from '../support/ports.ts'

const run = promisify(execFile)
const scratch = mkdtempSync(join(tmpdir(), 'latchkey-packed-'))
const installed = join(scratch, 'prefix/lib/node_modules/latchkey')
const command = join(scratch, 'prefix/bin/latchkey')

beforeAll(async () => {
  await run('npm', ['pack', '--pack-destination', scratch])
  const archive = readdirSync(scratch).find((name) => name.endsWith('.tgz')) ?? ''
  const options = ['--prefix', join(scratch, 'prefix'), '--no-audit', '--no-fund', '--prefer-offline']
  await run('npm', ['install', '--global', ...options, join(scratch, archive)])
}, 300_000)
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

test('the package contains the built program, and neither tests nor sources', () => {
  expect(readdirSync(installed)).not.toContain('src')
  expect(readdirSync(installed)).not.toContain('test')
  expect(readdirSync(join(installed, 'examples/partner-app'))).toEqual(['dist', 'logo.png', 'package.json'])
  expect(readdirSync(join(installed, 'node_modules'))).not.toContain('typescript')
})

test('the installed command shows its help', async () => {
  const { stdout } = await run(command, ['--help'])
  expect(stdout).toContain('Usage: latchkey')
})

test('the installed demo serves its pages, its styles and the partner application', {
  timeout: 120_000,
}, async () => {
  const partnerUrl = `http://localhost:${await freePort()}`
  const environment = {
    LATCHKEY_DATA_DIR: join(scratch, 'data'),
    LATCHKEY_PORT: String(await freePort()),
    LATCHKEY_OPS_PORT: String(await freePort()),
    PARTNER_URL: partnerUrl,
  }
  const demo = await startLatchkey(['demo'], environment, { file: command })
  try {
    const status = async (url: string) => (await fetch(url)).status
    const page = await (await fetch(`${demo.ready.auth_url}/login`)).text()
    const styles = [...page.matchAll(/<link[^>]+href="([^"]+\.css[^"]*)"/g)].map((match) => match[1] ?? '')
    expect(styles.length).toBeGreaterThan(0)
    for (const style of styles) expect(await status(new URL(style, demo.ready.auth_url).href)).toBe(200)
    expect(await status(partnerUrl)).toBe(200)
  } finally {
    expect(await demo.stop()).toBe(0)
  }
})
