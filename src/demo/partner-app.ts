import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { ExplainedError } from '../explained-error.ts'

const attached = fileURLToPath(new URL('./attached.js', import.meta.url))
const program = fileURLToPath(new URL('../../examples/partner-app/dist/main.js', import.meta.url))

class PartnerAppError extends ExplainedError {}

export type PartnerApp = { close(): Promise<void> }

/** Starts the sample partner application as a process and waits until it is ready. @throws {PartnerAppError} */
export async function startPartnerApp(environment: Record<string, string>): Promise<PartnerApp> {
  const child = spawn(process.execPath, [attached, program], {
    env: { PATH: process.env.PATH, ...environment },
    // A separate process group: Ctrl-C reaches only the demo, which then shuts down the application.
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  await ready(child).catch((error) => {
    child.kill()
    throw error
  })
  return {
    async close() {
      if (child.exitCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    },
  }
}

function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () =>
      reject(new PartnerAppError('The demo partner did not start. Its error is above.')),
    )
    if (!child.stdout) return
    createInterface(child.stdout).on('line', (line) => {
      if (line.startsWith('partner app ready')) resolve()
    })
  })
}
