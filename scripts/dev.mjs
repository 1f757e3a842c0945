// `npm run dev`: runs the demo, and builds and starts it anew when a source file changes. When the build fails, the
// errors are printed and the next change is waited for.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { watch } from 'node:fs'
import { join } from 'node:path'

const sources = ['src', 'examples/partner-app/src', 'migrations', 'assets']

export function dev(root) {
  let demo = start(root)
  let restarted = Promise.resolve()
  let timer
  const onChange = () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      restarted = restarted.then(restart)
    }, 200) // an editor may save several files at once
  }
  async function restart() {
    console.error('restarting …')
    await stop(demo)
    demo = start(root)
  }
  for (const folder of sources) watch(join(root, folder), { recursive: true }, onChange)
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => stop(demo).then(() => process.exit()))
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
