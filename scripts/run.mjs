// Sets up the checkout and then runs a command. Uses only Node built-ins, because it runs before anything is installed.
// Usage: node scripts/run.mjs COMMAND [ARGS…], where COMMAND is one of those listed below.
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const lock = join(root, '.setup-lock')
const [major, minor] = process.versions.node.split('.').map(Number)

if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Latchkey needs Node 20.19 or newer; this is ${process.versions.node}.`)
  process.exit(1)
}

/**
 * The packages that each command installs in addition to the root package. The root package has what the server needs to
 * build and run. Every package has its own lock file and `node_modules`, so that an install does not change the files of a
 * running server.
 */
const commands = {
  latchkey: { packages: [], run: runProgram },
  build: { packages: [], run: () => {} },
  dev: { packages: [], run: runDemoOnChange },
  test: { packages: ['test'], run: (args) => vitest('main', args) },
  'test:embedded': { packages: ['test'], run: (args) => vitest('embedded', args) },
  'test:clients': { packages: ['test', 'test/interop'], run: (args) => vitest('clients', args) },
  'test:interop': {
    packages: ['test', 'test/interop', 'test/interop/openapi'],
    run: (args) => vitest('interop', args),
  },
  'test:long': { packages: ['test', 'test/bench'], run: long },
  bench: { packages: ['test', 'test/bench'], run: bench },
  check: { packages: ['test', 'test/bench', 'test/interop'], run: check },
  format: { packages: ['test'], run: (args) => runNode(biome, 'check', '--write', '.', ...args) },
}
const tsc = 'node_modules/typescript/bin/tsc'
const esbuild = 'node_modules/.bin/esbuild'
const biome = 'test/node_modules/@biomejs/biome/bin/biome'

const [name, ...args] = process.argv.slice(2)
const command = Object.hasOwn(commands, name ?? '') ? commands[name] : undefined
if (!command) {
  console.error(`usage: node scripts/run.mjs ${Object.keys(commands).join('|')} [ARGS…]`)
  process.exit(2)
}
await withSetupLock(() => setUp(command.packages))
await command.run(args)

function setUp(packages) {
  for (const folder of ['.', ...packages]) install(folder)
  const sources = ['src', 'sdk/src', 'examples/partner-app/src', 'examples/partner-app/tsconfig.json']
  const settings = [
    'tsconfig.json',
    'tsconfig.build.json',
    'sdk/tsconfig.json',
    'sdk/tsconfig.cjs.json',
    'sdk/package.json',
    'sdk/README.md',
    'package-lock.json',
  ]
  unlessDone('build', 'dist/.built', digest([...sources, ...settings]), () => {
    for (const output of ['dist', 'sdk/dist', 'examples/partner-app/dist'])
      rmSync(join(root, output), { recursive: true, force: true })
    for (const project of ['tsconfig.build.json', 'sdk', 'sdk/tsconfig.cjs.json']) compile(project)
    // Without it, Node would read these files as ES modules, because sdk/package.json says so.
    writeFileSync(join(root, 'sdk/dist/cjs/package.json'), '{ "type": "commonjs" }\n')
    // src/typebox.ts gives the reason.
    bundle('dist/typebox.js', 'dist/typebox.js')
    // One file with the client library in it, because an installed package has no link to the workspace `sdk`.
    compile('examples/partner-app', '--noEmit')
    const library = `--alias:@latchkey/client=${join(root, 'sdk/dist/esm/index.js')}`
    const partnerApp = ['examples/partner-app/src/main.ts', 'examples/partner-app/dist/main.js']
    bundle(...partnerApp, '--packages=external', library)
    packLibrary()
  })
}

function compile(project, ...options) {
  step(process.execPath, [join(root, tsc), '-p', project, ...options])
}

function bundle(source, output, ...options) {
  const common = ['--bundle', '--format=esm', '--platform=node', '--allow-overwrite', '--log-level=warning']
  step(join(root, esbuild), [source, `--outfile=${output}`, ...common, ...options])
}

/** Packs the client library as a file that the docs serve, because `npm install` takes the address of a package. */
function packLibrary() {
  npm(['pack', './sdk', '--pack-destination', 'dist', '--ignore-scripts', '--silent'])
  const { version } = JSON.parse(readFileSync(join(root, 'sdk/package.json'), 'utf8'))
  renameSync(join(root, `dist/latchkey-client-${version}.tgz`), join(root, 'dist/latchkey-client.tgz'))
}

function install(folder) {
  const what = folder === '.' ? 'dependencies' : `dependencies of ${folder}`
  const lockFile = join(folder, 'package-lock.json')
  unlessDone(what, join(folder, 'node_modules/.installed'), digest([lockFile]), () => {
    const options = ['--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error']
    npm(['ci', ...options], folder)
  })
}

function npm(words, folder) {
  const viaNode = process.env.npm_execpath
  const [program, before] = viaNode ? [process.execPath, [viaNode]] : ['npm', []]
  step(program, [...before, ...words], folder)
}

/** Runs the program in this process, so that signals reach the server. */
async function runProgram() {
  const program = join(root, 'dist/cli/main.js')
  process.argv.splice(1, 2, program)
  if (process.env.npm_lifecycle_event) stopWithParent()
  await import(pathToFileURL(program).href)
}

async function runDemoOnChange() {
  if (process.env.npm_lifecycle_event) stopWithParent()
  const { dev } = await import('./dev.mjs')
  await dev(root)
}

function vitest(project, args) {
  const config = ['--config', 'test/vitest.config.ts', '--project', project]
  return runNode('test/node_modules/vitest/vitest.mjs', 'run', ...config, ...args)
}

/** Runs one file at a time, because each file alone uses the whole machine. */
function long(args) {
  return vitest('long', ['--no-file-parallelism', ...args])
}

async function bench(args) {
  await runNode(tsc, '-p', 'test/bench')
  await runNode('test/bench/dist/bench/main.js', ...args)
}

async function check() {
  await runNode(tsc, '-p', 'tsconfig.json')
  await runNode(biome, 'check', '.')
  await runNode('test/node_modules/knip/bin/knip.js')
  await runNode('scripts/check-terms.mjs')
}

/** Waits for the program to end. If it fails, exits with its exit code. */
async function runNode(script, ...words) {
  const child = spawn(process.execPath, [join(root, script), ...words], { cwd: root, stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  if (code !== 0) process.exit(code ?? 1)
}

/** Does the work, unless the stamp file shows that it was already done for this input. */
function unlessDone(what, stamp, input, work) {
  const path = join(root, stamp)
  if (existsSync(path) && readFileSync(path, 'utf8') === input) return
  console.error(`setting up: ${what} …`)
  work()
  writeFileSync(path, input)
}

function digest(paths) {
  const hash = createHash('sha256')
  const add = (path) => {
    const full = join(root, path)
    const entries = statSync(full).isDirectory() ? readdirSync(full, { withFileTypes: true }) : null
    if (!entries) hash.update(path).update(readFileSync(full))
    else for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) add(join(path, entry.name))
  }
  paths.forEach(add)
  return hash.digest('hex')
}

/** npm cannot forward SIGKILL. Without this check, the server would keep running with its port and data directory. */
function stopWithParent() {
  const parent = process.ppid
  setInterval(() => process.ppid === parent || process.kill(process.pid, 'SIGTERM'), 500).unref()
}

/** Runs one step of the setup. Its output goes to standard error, because standard output belongs to the command. */
function step(program, words, folder = '.') {
  try {
    execFileSync(program, words, { cwd: join(root, folder), stdio: ['ignore', 2, 2] })
  } catch {
    console.error(`setup failed in ${join(root, folder)} at: ${[program, ...words].join(' ')}`)
    process.exit(1)
  }
}

/** If two commands start at once, one sets up and the other waits. A lock is removed if its owner has ended. */
async function withSetupLock(work) {
  for (let waits = 0; !takeLock(); waits++) {
    if (waits === 10) console.error(`waiting for another setup to end; if none is running, remove ${lock}`)
    await sleep(200)
  }
  process.on('exit', releaseLock)
  try {
    work()
  } finally {
    process.off('exit', releaseLock)
    releaseLock()
  }
}

function takeLock() {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    if (isLockAbandoned()) releaseLock()
    return false
  }
}

function releaseLock() {
  rmSync(lock, { force: true })
}

function isLockAbandoned() {
  try {
    const owner = readFileSync(lock, 'utf8')
    if (owner === '') return Date.now() - statSync(lock).mtimeMs > 5000
    process.kill(Number(owner), 0)
    return false
  } catch (error) {
    return error.code === 'ESRCH'
  }
}
