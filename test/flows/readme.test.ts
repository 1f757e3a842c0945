import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeDemoData } from '../../src/demo/data/write-demo-data.ts'
import { latchkey, type RunningLatchkey, startLatchkey } from '../support/latchkey.ts'
import { freePort } from '../support/ports.ts'
import { shellBlocks } from '../support/shell-blocks.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const scratch = mkdtempSync(join(tmpdir(), 'latchkey-readme-'))

const blocks = shellBlocks('README.md', 'readme.test')

type Deployment = { environment: Record<string, string>; server: RunningLatchkey }
const deployments: Deployment[] = []

async function deploy(name: 'sandbox' | 'production'): Promise<Deployment> {
  const environment = {
    LATCHKEY_ENVIRONMENT: name,
    LATCHKEY_DATA_DIR: join(scratch, name),
    LATCHKEY_PORT: String(await freePort()),
    LATCHKEY_OPS_PORT: String(await freePort()),
  }
  const imported = await latchkey(['import', join(scratch, 'export')], environment)
  expect(imported).toMatchObject({ code: 0 })
  const server = await startLatchkey(['start'], environment)
  const deployment = { environment, server }
  deployments.push(deployment)
  return deployment
}

beforeAll(async () => {
  mkdirSync(join(scratch, 'export'))
  await writeDemoData(join(scratch, 'export'))
})
afterAll(async () => {
  for (const { server } of deployments) await server.stop()
  rmSync(scratch, { recursive: true, force: true })
})

/** Runs the README's steps as a reader would, in a new folder and against this deployment. */
async function follow({ environment, server }: Deployment): Promise<string> {
  const folder = mkdtempSync(join(scratch, 'reader-'))
  const settings = (blocks('settings')[0] ?? '')
    .replace(/^AUTH_URL=.*$/m, `AUTH_URL=${server.ready.auth_url}`)
    .replace(/^BASE_URL=.*$/m, `BASE_URL=${server.ready.base_url}`)
  const steps = blocks('run')
    .join('\n')
    .replaceAll('npm run -s latchkey', `npm --prefix ${root} run -s latchkey`)
  const shell = spawn('bash', ['-euo', 'pipefail'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let output = ''
  shell.stdout.on('data', (chunk) => {
    output += chunk
  })
  shell.stdin.end(`${settings}\n${steps}`)
  const [code] = await once(shell, 'close')
  expect(code).toBe(0)
  return output
}

for (const name of ['sandbox', 'production'] as const) {
  test(`the README's steps with curl lead from partner create to GET households in ${name}`, async () => {
    const output = await follow(await deploy(name))
    const [page, found, refreshed] = output.split(/(?<=\])(?=\[)|(?<=\])(?=\{)/)
    expect(JSON.parse(page ?? '')).toHaveLength(3)
    expect(JSON.parse(found ?? '').length).toBeGreaterThan(0)
    const mark = name === 'sandbox' ? 'test' : 'live'
    expect(JSON.parse(refreshed ?? '')).toMatchObject({
      token_type: 'Bearer',
      expires_in: 3600,
      access_token: expect.stringMatching(`^lk_${mark}_at_`),
      refresh_token: expect.stringMatching(`^lk_${mark}_rt_`),
    })
  })
}

test('the code that the README quotes from the partner application is in its source', () => {
  const sources = ['routes/connect.tsx', 'routes/households.tsx']
    .map((file) => readFileSync(join(root, 'examples/partner-app/src', file), 'utf8'))
    .join('\n')
    .replaceAll(/\s+/g, ' ')
  const quotes = [...readme.matchAll(/ {3}```ts\n([\s\S]*?) {3}```/g)].map((match) => match[1] ?? '')
  expect(quotes.length).toBe(2)
  for (const quote of quotes) expect(sources).toContain(quote.replaceAll(/\s+/g, ' ').trim())
})
