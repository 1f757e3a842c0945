// Sets the checkout up and then runs a command in it. Node built-ins only: it runs before `npm ci` has.
//   node scripts/run.mjs latchkey [ARGS…]   the command-line program
//   node scripts/run.mjs test [ARGS…]       the test suite
//   node scripts/run.mjs bench [ARGS…]      the benches (test/bench)
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
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

const [command, ...args] = process.argv.slice(2)
await withLock(setUp)

if (command === 'latchkey') {
  const program = join(root, 'dist/cli/main.js')
  process.argv.splice(1, 2, program)
  if (process.env.npm_lifecycle_event) stopWithParent()
  await import(pathToFileURL(program).href)
} else if (command === 'test') {
  runNode('node_modules/vitest/vitest.mjs', 'run', '--project', 'main', '--project', 'interop', ...args)
} else if (command === 'bench') {
  npm('exec', '--no', '--', 'tsc', '-p', 'test/bench')
  runNode('test/output/bench/bench/main.js', ...args)
} else {
  console.error('usage: node scripts/run.mjs latchkey|test|bench [ARGS…]')
  process.exit(2)
}

function setUp() {
  once('dependencies', 'node_modules/.installed', digest(['package-lock.json']), () =>
    npm('ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'),
  )
  const sources = ['src', 'examples/partner-app/src', 'examples/partner-app/tsconfig.json']
  const settings = ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json']
  once('build', 'dist/.built', digest([...sources, ...settings]), () => {
    for (const output of ['dist', 'examples/partner-app/dist'])
      rmSync(join(root, output), { recursive: true, force: true })
    npm('run', '--silent', 'build')
  })
}

function runNode(script, ...words) {
  const child = spawn(process.execPath, [join(root, script), ...words], { cwd: root, stdio: 'inherit' })
  child.on('exit', (code, signal) => process.exit(signal ? 1 : code))
}

/** Does the work unless the stamp says that it was done for this very input. */
function once(what, stamp, input, work) {
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

/** Standard output belongs to the command that follows, so npm's own goes to standard error. */
function npm(...words) {
  const viaNode = process.env.npm_execpath
  const [program, before] = viaNode ? [process.execPath, [viaNode]] : ['npm', []]
  try {
    execFileSync(program, [...before, ...words], { cwd: root, stdio: ['ignore', 2, 2] })
  } catch {
    console.error(`setting up failed at: npm ${words.join(' ')}`)
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
