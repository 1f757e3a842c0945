// Sets the checkout up and then runs a command in it. Node built-ins only: it runs before anything is installed.
// Usage: node scripts/run.mjs COMMAND [ARGS…], where COMMAND is one of those listed below.
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
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
 * What each command installs beside the root package, which has what the server needs to build and run. Every package
 * has its own lock file and `node_modules`, so that nothing is installed under a server that is running.
 */
const commands = {
  latchkey: { packages: [], run: runProgram },
  build: { packages: [], run: () => {} },
  dev: { packages: [], run: runDemoOnChange },
  test: { packages: ['test'], run: (args) => vitest('main', args) },
  'test:interop': { packages: ['test', 'test/interop'], run: (args) => vitest('interop', args) },
  'test:long': { packages: ['test', 'test/bench'], run: long },
  bench: { packages: ['test', 'test/bench'], run: bench },
  check: { packages: ['test', 'test/bench', 'test/interop'], run: check },
  format: { packages: ['test'], run: (args) => runNode(biome, 'check', '--write', '.', ...args) },
}
const tsc = 'node_modules/typescript/bin/tsc'
const biome = 'test/node_modules/@biomejs/biome/bin/biome'

const [name, ...args] = process.argv.slice(2)
const command = Object.hasOwn(commands, name ?? '') ? commands[name] : undefined
if (!command) {
  console.error(`usage: node scripts/run.mjs ${Object.keys(commands).join('|')} [ARGS…]`)
  process.exit(2)
}
await withLock(() => setUp(command.packages))
await command.run(args)

function setUp(packages) {
  for (const folder of ['.', ...packages]) install(folder)
  const sources = ['src', 'examples/partner-app/src', 'examples/partner-app/tsconfig.json']
  const settings = ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json']
  unlessDone('build', 'dist/.built', digest([...sources, ...settings]), () => {
    for (const output of ['dist', 'examples/partner-app/dist'])
      rmSync(join(root, output), { recursive: true, force: true })
    for (const project of ['tsconfig.build.json', 'examples/partner-app'])
      step(process.execPath, [join(root, tsc), '-p', project])
  })
}

function install(folder) {
  const what = folder === '.' ? 'dependencies' : `dependencies of ${folder}`
  const lockFile = join(folder, 'package-lock.json')
  unlessDone(what, join(folder, 'node_modules/.installed'), digest([lockFile]), () => {
    const options = ['--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error']
    const viaNode = process.env.npm_execpath
    const [program, before] = viaNode ? [process.execPath, [viaNode]] : ['npm', []]
    step(program, [...before, 'ci', ...options], folder)
  })
}

/** In this process, so that a signal to it reaches the server. */
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

/** One file at a time: each of them loads the machine by itself. */
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
}

/** Waits for the program to end, and ends with its exit code when it failed. */
async function runNode(script, ...words) {
  const child = spawn(process.execPath, [join(root, script), ...words], { cwd: root, stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  if (code !== 0) process.exit(code ?? 1)
}

/** Does the work unless the stamp says that it was done for this very input. */
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

/** Killed outright, npm cannot pass a signal on: a server that it started would keep its port and its data directory. */
function stopWithParent() {
  const parent = process.ppid
  setInterval(() => process.ppid === parent || process.kill(process.pid, 'SIGTERM'), 500).unref()
}

/** A step of the set-up. Standard output belongs to the command that follows, so this goes to standard error. */
function step(program, words, folder = '.') {
  try {
    execFileSync(program, words, { cwd: join(root, folder), stdio: ['ignore', 2, 2] })
  } catch {
    console.error(`setting up failed in ${join(root, folder)} at: ${[program, ...words].join(' ')}`)
    process.exit(1)
  }
}

/** Two commands started at once on a fresh clone: one sets up, the other waits. A lock whose owner died is taken over. */
async function withLock(work) {
  for (let waits = 0; !take(); waits++) {
    if (waits === 10) console.error(`waiting for another set-up to end; should there be none, remove ${lock}`)
    await sleep(200)
  }
  process.on('exit', release)
  try {
    work()
  } finally {
    process.off('exit', release)
    release()
  }
}

function take() {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    if (abandoned()) release()
    return false
  }
}

function release() {
  rmSync(lock, { force: true })
}

function abandoned() {
  try {
    const owner = readFileSync(lock, 'utf8')
    if (owner === '') return Date.now() - statSync(lock).mtimeMs > 5000
    process.kill(Number(owner), 0)
    return false
  } catch (error) {
    return error.code === 'ESRCH'
  }
}
