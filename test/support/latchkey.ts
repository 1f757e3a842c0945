import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** The built command-line program. */
export const program = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

export type Finished = { code: number | null; stdout: string; stderr: string }

/** Runs one command of the built program and waits until it exits. */
export async function latchkey(args: string[], env: Record<string, string>, input = ''): Promise<Finished> {
  const child = spawn(process.execPath, [program, ...args], { env: { PATH: process.env.PATH, ...env } })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  child.stdin.end(input)
  const [code] = await once(child, 'close')
  return { code, stdout, stderr }
}

/** The error of a failed command with `--json`: the last line of its standard error. */
export function errorOf({ stderr }: Finished): { code: string; message: string } {
  return JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error
}

/**
 * Runs a command in a process that all commands of a worker share, which is faster. For tests of a command's output, not
 * of how a process starts, exits or shares a database.
 */
export function hostedLatchkey(args: string[], env: Record<string, string>, input = ''): Promise<Finished> {
  const finished = lastCommand.then(() => runHosted(args, env, input))
  lastCommand = finished.catch(() => {})
  return finished
}

let host: ChildProcess | undefined
let lastCommand: Promise<unknown> = Promise.resolve()

async function runHosted(args: string[], env: Record<string, string>, input: string): Promise<Finished> {
  host ??= fork(fileURLToPath(new URL('command-host.mjs', import.meta.url)), [program], { execArgv: [] })
  const child = host
  const answer = new Promise<Finished>((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', (code) => {
      host = undefined
      reject(new Error(`latchkey ${args.join(' ')} ended its process with ${code}`))
    })
  })
  child.send({ args, env, input })
  return answer.finally(() => child.removeAllListeners())
}

/** Runs one command on its own database. */
export function latchkeyOn(databaseUrl: string, args: string[], input = ''): Promise<Finished> {
  const env = { DATABASE_URL: databaseUrl, LATCHKEY_SECRET: 'a secret for tests, of 32 bytes or more' }
  return hostedLatchkey(args, env, input)
}

export type RunningLatchkey = {
  process: ChildProcess
  /** The JSON object in the `ready` line. */
  ready: Record<string, string>
  /** Standard output before the ready line. */
  output: string
  /** Standard error so far. */
  errors(): string
  /** Sends SIGTERM and waits. @returns the exit code */
  stop(): Promise<number | null>
}

type StartOptions = {
  /** The file of the command-line program. */
  file?: string
  /** Where standard error goes: to a pipe that is read, or to the given file descriptor. */
  stderr?: number | 'pipe'
}

/** Starts `latchkey start` or `latchkey demo` as a separate process and waits for its ready line. */
export async function startLatchkey(
  args: string[],
  env: Record<string, string>,
  { file = program, stderr = 'pipe' }: StartOptions = {},
): Promise<RunningLatchkey> {
  const child = spawn(process.execPath, [file, ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', stderr],
  })
  const { stdout } = child
  if (!stdout) throw new Error('standard output is not a pipe')
  let output = ''
  let faults = ''
  child.stderr?.on('data', (chunk) => {
    faults += chunk
  })
  const ready = await new Promise<Record<string, string>>((resolve, reject) => {
    child.once('exit', (code) =>
      reject(new Error(`latchkey ${args.join(' ')} ended with ${code}: ${faults}`)),
    )
    createInterface(stdout).on('line', (line) => {
      if (line.startsWith('ready ')) resolve(JSON.parse(line.slice('ready '.length)))
      else output += `${line}\n`
    })
  })
  return {
    process: child,
    ready,
    output,
    errors: () => faults,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      const [code] = await exited
      return code
    },
  }
}

/** Sends SIGKILL and waits for the exit. */
export function killed(child: ChildProcess): Promise<unknown> {
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  return exited
}
