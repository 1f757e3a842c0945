import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { seed } from '../support/directory.ts'
import { logIn } from '../support/journey.ts'
import { freePort } from '../support/ports.ts'
import { testServer } from '../support/server.ts'
import { redirectOf, Visitor } from '../support/visitor.ts'

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

const write = (name: string, text: string) => writeFileSync(join(scratch, name), text)
const compilerOptions = {
  module: 'nodenext',
  strict: true,
  target: 'es2022',
  lib: ['es2022', 'dom'],
  types: [],
  skipLibCheck: false,
  outDir: 'out',
}

/** Compiles these files of the project. @returns what the compiler says */
async function compile(files: string[], compiler = 'node_modules/typescript', more = {}): Promise<string> {
  write('tsconfig.json', JSON.stringify({ compilerOptions: { ...compilerOptions, ...more }, files }))
  return run(process.execPath, [join(root, compiler, 'bin/tsc'), '-p', scratch]).then(
    ({ stdout }) => stdout,
    ({ stdout }) => stdout,
  )
}

beforeAll(async () => {
  write('package.json', '{ "private": true, "type": "module" }')
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', archive], { cwd: scratch })
})

test('the packed library works in a new project: ESM, CommonJS and TypeScript 5 and 7', async () => {
  expect(readdirSync(join(scratch, 'node_modules'))).toEqual(['.package-lock.json', '@latchkey'])
  const use = `const latchkey = createLatchkey({
  authUrl: 'https://auth.example', baseUrl: 'https://api.example/service-open-api/', clientId: 'c', clientSecret: 's',
  redirectUri: 'https://partner.example/callback', store: memoryStore() })
console.log(latchkey.startConnecting().url.pathname, LatchkeyError.name, typeof fileStore)\n`
  const names = 'createLatchkey, fileStore, LatchkeyError, memoryStore'
  const typed = `${use}export async function first(key: string): Promise<string | undefined> {
  for await (const household of latchkey.client(key).households()) return household.name
  return undefined
}\n`
  write('esm.mjs', `import { ${names} } from '@latchkey/client'\n${use}`)
  write('cjs.cjs', `const { ${names} } = require('@latchkey/client')\n${use}`)
  write('typed-esm.mts', `import { ${names} } from '@latchkey/client'\n${typed}`)
  write('typed-cjs.cts', `import { ${names} } from '@latchkey/client'\n${typed}`)
  for (const compiler of ['test/interop/node_modules/typescript', 'node_modules/typescript'])
    expect(await compile(['typed-esm.mts', 'typed-cjs.cts'], compiler)).toBe('')
  for (const program of ['esm.mjs', 'cjs.cjs', 'out/typed-esm.mjs', 'out/typed-cjs.cjs']) {
    const { stdout } = await run(process.execPath, [join(scratch, program)])
    expect(stdout).toBe('/api/oauth2/authorize LatchkeyError function\n')
  }
})

const readme = readFileSync(join(root, 'sdk/README.md'), 'utf8')
const snippets = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code)

test('the examples of the README compile', async () => {
  const files = snippets.map((code, index) => {
    write(`example-${index}.ts`, code)
    return `example-${index}.ts`
  })
  expect(files).toHaveLength(4)
  const typeRoots = [join(root, 'node_modules/@types')]
  const paths = { pg: [join(root, 'node_modules/@types/pg')] }
  expect(await compile(files, undefined, { typeRoots, types: ['node'], paths, skipLibCheck: true })).toBe('')
})

test('the quick start of the README leads a user from the start page to the households', async () => {
  const server = await testServer()
  const origin = `http://localhost:${await freePort()}`
  const partner = await server.partner({ redirectUri: `${origin}/callback` })
  await seed(server.database, { users: ['ada'], households: ['h1', 'h2'] })
  const addresses = {
    'http://localhost:4000/service-open-api/': server.baseUrl,
    'http://localhost:4000': server.authUrl,
    'http://localhost:4020': origin,
    'listen(4020': `listen(${new URL(origin).port}`,
  }
  const quickStart = Object.entries(addresses).reduce(
    (code, [address, own]) => code.replaceAll(address, own),
    snippets[0] ?? '',
  )
  write('quick-start.ts', quickStart)
  const typeRoots = [join(root, 'node_modules/@types')]
  expect(await compile(['quick-start.ts'], undefined, { typeRoots, types: ['node'] })).toBe('')
  const app = spawn(process.execPath, ['out/quick-start.js'], {
    cwd: scratch,
    env: { PATH: process.env.PATH, CLIENT_ID: partner.clientId, CLIENT_SECRET: partner.clientSecret },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  try {
    const visitor = new Visitor()
    await expect.poll(() => visitor.get(origin).then(({ status }) => status, String)).toBe(303)
    const start = redirectOf(await visitor.get(origin))
    const page = await logIn(visitor, await visitor.follow(await visitor.get(start?.href ?? '')), 'ada')
    const callback = redirectOf(await visitor.submit(page, '/connect', { decision: 'connect' }))
    expect((await visitor.get(callback?.href ?? '')).text).toBe('h1 h1\nh2 h2\n')
  } finally {
    app.kill()
    await server.close()
  }
})
