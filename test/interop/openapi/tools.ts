import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Milliseconds. A program that runs longer is killed. */
const timeout = 9 * 60_000

/** Runs a program until it exits. @returns its standard output @throws with its output if it fails */
export function run(
  program: string,
  args: string[],
  { cwd, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd, env: { ...process.env, ...env }, timeout, maxBuffer: 64 * 1024 * 1024 }
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error) reject(new Error(`${program} ${args.join(' ')}: ${error.message}\n${stdout}\n${stderr}`))
      else resolve(stdout)
    })
  })
}

/** The commands that are not on the path. */
export function missing(commands: string[]): string[] {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return commands.filter((command) => !folders.some((folder) => isExecutable(join(folder, command))))
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Creates a Python environment with these packages. @returns the path of a program in it */
export async function toolVenv(folder: string, ...packages: string[]): Promise<(program: string) => string> {
  await run('python3', ['-m', 'venv', folder])
  const program = (name: string) => join(folder, 'bin', name)
  await run(program('pip'), ['install', '--quiet', '--disable-pip-version-check', ...packages])
  return program
}

/** A file in the packages of test/interop. */
export function interopModule(path: string): string {
  return fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url))
}
