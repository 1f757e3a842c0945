import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

/** Runs the command-line program on a database, with this as its standard input. */
export async function latchkey(
  databaseUrl: string,
  args: string[],
  input = '',
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [program, ...args], {
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      LATCHKEY_SECRET: 'a secret for tests, of 32 bytes or more',
    },
  })
  const code = new Promise<number | null>((done) => child.once('close', done))
  child.stdin.end(input)
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await code, stdout, stderr }
}
