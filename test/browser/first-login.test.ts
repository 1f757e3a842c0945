import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, inject, test } from 'vitest'
import { screenshot } from '../support/browser.ts'
import { browserFixture } from '../support/fixtures.ts'
import { foreignProvider } from '../support/foreign-provider.ts'
import { program } from '../support/latchkey.ts'
import { signInThere } from '../support/platform.ts'
import { freePort } from '../support/ports.ts'
import { shellBlocks } from '../support/shell-blocks.ts'

// The reader of docs/first-login.md: pastes its commands into terminals, and logs in at a provider in the browser.

const blocks = shellBlocks('docs/first-login.md', 'first-login.test')
const examples = fileURLToPath(new URL('../../examples', import.meta.url))
const folder = mkdtempSync(join(inject('scratch'), 'first-login-'))
const platform = join(folder, 'northbridge')
const [port, opsPort, partnerPort] = [await freePort(), await freePort(), await freePort()]
const address = 'ada@northbridge.example'
const secret = 'a client secret of more than 32 bytes, for tests'
const provider = await foreignProvider({
  client_id: 'latchkey',
  client_secret: secret,
  redirect_uris: [`http://localhost:${port}/login/idp/northbridge/callback`],
  post_logout_redirect_uris: [`http://localhost:${port}/idp/northbridge/logged-out`],
})
provider.accounts.set('ada', { email: address, email_verified: true })

const settings = (blocks('settings')[0] ?? '')
  .replace(/^EXAMPLES=.*$/m, `EXAMPLES='${examples}'`)
  .replace(/^ISSUER=.*$/m, `ISSUER=${provider.issuer}`)
expect(settings).toContain(`EMAIL=${address}`)

mkdirSync(join(folder, 'bin'))
writeFileSync(join(folder, 'bin/latchkey'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`)
chmodSync(join(folder, 'bin/latchkey'), 0o755)

const browser = await browserFixture()
const shells: ChildProcess[] = []
/** What the terminals show on standard error. */
let faults = ''
afterAll(async () => {
  for (const shell of shells) {
    if (shell.exitCode !== null || !shell.pid) continue
    const closed = once(shell, 'close') // when its programs have ended too
    process.kill(-shell.pid, 'SIGTERM')
    await closed
  }
})

/** Pastes the commands into a new terminal. */
function terminal(commands: string, directory = platform, input?: string): ChildProcess {
  const script = `${settings}\n${commands}`
    .replaceAll('localhost:4000', `localhost:${port}`)
    .replaceAll('localhost:4010', `localhost:${partnerPort}`)
  const shell = spawn('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
    cwd: directory,
    env: {
      PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
      HOME: folder,
      LATCHKEY_PORT: String(port),
      LATCHKEY_OPS_PORT: String(opsPort),
      LATCHKEY_LOG_LEVEL: 'warn',
      LATCHKEY_AUTH_URL: `http://localhost:${port}`,
      LATCHKEY_BASE_URL: `http://localhost:${port}/service-open-api/`,
      PARTNER_URL: `http://localhost:${partnerPort}`,
    },
    detached: true, // The shell and its programs are one group.
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  shell.stdin?.end(input)
  shell.stderr?.on('data', (chunk) => {
    faults += chunk
  })
  shells.push(shell)
  return shell
}

/** Waits for the end of the commands. They must succeed. */
async function done(commands: string, directory?: string, input?: string): Promise<void> {
  const shell = terminal(commands, directory, input)
  shell.stdout?.resume()
  const [code] = await once(shell, 'close')
  if (code !== 0) throw new Error(`the commands ended with ${code}: ${faults}`)
}

/** Waits for a line that begins with this text. The program goes on. */
async function running(commands: string, ready: string): Promise<void> {
  const { stdout } = terminal(commands)
  if (!stdout) throw new Error('no standard output')
  for await (const line of createInterface(stdout)) if (line.startsWith(ready)) return void stdout.resume()
  throw new Error(`it ended without: ${ready}\n${faults}`)
}

test('the guide leads from an empty directory to a login at the provider and a connected partner', async () => {
  const started = performance.now()
  const [brand = '', ...steps] = blocks('run')
  await done(blocks('secret')[0] ?? '', folder, secret)
  await done(brand)
  await running(blocks('server')[0] ?? '', 'ready ')
  await done(steps.join('\n'))
  await running(blocks('partner')[0] ?? '', 'partner app ready')

  const page = await browser.newPage({ locale: 'en' })
  await page.goto(`http://localhost:${partnerPort}`)
  await page.getByRole('button', { name: 'Connect' }).click()
  await signInThere(page, 'ada')
  await page.getByRole('heading', { name: 'Connect Ledgerline to your Northbridge account?' }).waitFor()
  await screenshot(page, 'first login: connect')
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByRole('heading', { name: 'Households' }).waitFor()
  const names = await page.locator('main a[href^="/households/"]').allTextContents()
  expect(names).toEqual(['Ashworth', 'Lefèvre'])
  console.info(`the guide took ${Math.round((performance.now() - started) / 1000)} s`)
})
