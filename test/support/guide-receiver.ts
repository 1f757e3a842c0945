import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'
import { freePort } from './ports.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Compiles the TypeScript receiver of the guide for webhooks, with the client library of this checkout. */
export function compiledReceiver(): string {
  const guide = readFileSync(join(root, 'docs/partners/webhooks.md'), 'utf8')
  const [, source] = /```ts file=webhooks\.mts\n(.*?)```/s.exec(guide) ?? []
  if (source === undefined) throw new Error('the guide has no receiver')
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-receiver-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'webhooks.mts'), source)
  const output = join(folder, 'webhooks.mjs')
  const library = `--alias:@latchkey/client=${join(root, 'sdk/src/index.ts')}`
  const options = ['--bundle', '--platform=node', '--format=esm', '--log-level=warning', library]
  execFileSync(join(root, 'node_modules/.bin/esbuild'), ['webhooks.mts', `--outfile=${output}`, ...options], {
    cwd: folder,
  })
  return output
}

/** Runs the compiled receiver as a process on a free port. */
export async function runReceiver(program: string, secretOf: (url: string) => Promise<string>) {
  const port = await freePort()
  const WEBHOOK_SECRET = await secretOf(`http://127.0.0.1:${port}/webhooks`)
  const receiver = spawn(process.execPath, [program], { env: { WEBHOOK_SECRET, PORT: String(port) } })
  let output = ''
  receiver.stdout.on('data', (text) => {
    output += text
  })
  await once(receiver.stdout, 'data')
  return {
    output: () => output,
    async stop() {
      receiver.kill()
      await once(receiver, 'exit')
    },
  }
}
