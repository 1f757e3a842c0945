// `npm run dev`: runs the demo, and builds and starts it again when a source file changes. If the build fails, it prints the
// errors and waits for the next change.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const sources = ['src', 'sdk/src', 'examples/partner-app/src', 'migrations', 'assets']

export async function dev(root) {
  let demo = start(root)
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => stop(demo).then(() => process.exit()))
  for (let seen = state(root); ; ) {
    await sleep(300)
    const now = state(root)
    if (now === seen) continue
    seen = now
    console.error('restarting …')
    await stop(demo)
    demo = start(root)
  }
}

/** Polled instead of watched: on Linux, Node 20's recursive `fs.watch` misses files that an editor replaces by renaming. */
function state(root) {
  const files = sources.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((name) => join(root, folder, name)),
  )
  return files.map((file) => `${file} ${statSync(file, { throwIfNoEntry: false })?.mtimeMs}`).join('\n')
}

function start(root) {
  const demo = spawn(process.execPath, [join(root, 'scripts/run.mjs'), 'latchkey', 'demo'], {
    stdio: 'inherit',
  })
  demo.once('exit', (code) => code && console.error('waiting for a change …'))
  return demo
}

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}
