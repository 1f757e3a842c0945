import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'latchkey-sdk-package-'))

// Without the script that builds: `npm run test:interop` has built the library.
await run('npm', ['pack', '--ignore-scripts', '--pack-destination', scratch], { cwd: join(root, 'sdk') })
const archive = join(scratch, readdirSync(scratch)[0] ?? '')

/** Runs a program of the packages of these tests. @returns its output, also if it fails */
async function tool(name: string, program: string, ...args: string[]): Promise<string> {
  const file = join(root, 'test/interop/node_modules', name, program)
  return run(process.execPath, [file, ...args]).then(
    ({ stdout }) => `${stdout}passed`,
    ({ stdout, stderr }) => `${stdout}${stderr}failed`,
  )
}

test('publint finds nothing', async () => {
  expect(await tool('publint', 'src/cli.js', archive, '--strict')).toMatch(/All good![\s\S]*passed$/)
})

test('the types are right for ESM, CommonJS and bundlers (attw)', async () => {
  expect(await tool('@arethetypeswrong/cli', 'dist/index.js', archive, '--format', 'ascii')).toMatch(
    /No problems found[\s\S]*passed$/,
  )
})

test('the packed library works in a new project: ESM, CommonJS and TypeScript 5 and 7', async () => {
  const write = (name: string, text: string) => writeFileSync(join(scratch, name), text)
  const use = `const latchkey = createLatchkey({
  authUrl: 'https://auth.example', baseUrl: 'https://api.example/service-open-api/', clientId: 'c', clientSecret: 's',
  redirectUri: 'https://partner.example/callback', store: memoryStore() })
console.log(latchkey.startConnecting().url.pathname, LatchkeyError.name, typeof fileStore)\n`
  const names = 'createLatchkey, fileStore, LatchkeyError, memoryStore'
  write('package.json', '{ "private": true }')
  write('esm.mjs', `import { ${names} } from '@latchkey/client'\n${use}`)
  write('cjs.cjs', `const { ${names} } = require('@latchkey/client')\n${use}`)
  const typed = `${use}export async function first(key: string): Promise<string | undefined> {
  for await (const household of latchkey.client(key).households()) return household.name
  return undefined
}\n`
  write('esm.mts', `import { ${names} } from '@latchkey/client'\n${typed}`)
  write('cjs.cts', `import { ${names} } from '@latchkey/client'\n${typed}`)
  const compilerOptions = {
    module: 'nodenext',
    strict: true,
    target: 'es2022',
    lib: ['es2022', 'dom'],
    types: [],
    skipLibCheck: false,
    outDir: 'out',
  }
  write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['esm.mts', 'cjs.cts'] }))
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', archive], { cwd: scratch })
  expect(readdirSync(join(scratch, 'node_modules'))).toEqual(['.package-lock.json', '@latchkey'])

  for (const compiler of ['test/interop/node_modules/typescript', 'node_modules/typescript']) {
    const { stdout } = await run(process.execPath, [join(root, compiler, 'bin/tsc'), '-p', scratch]).catch(
      (failure) => failure,
    )
    expect(stdout).toBe('')
  }
  for (const program of ['esm.mjs', 'cjs.cjs', 'out/esm.mjs', 'out/cjs.cjs']) {
    const { stdout } = await run(process.execPath, [join(scratch, program)])
    expect(stdout).toBe('/api/oauth2/authorize LatchkeyError function\n')
  }
})
