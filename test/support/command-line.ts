import { expect } from 'vitest'
import { hostedLatchkey } from './latchkey.ts'

export type CommandLine = ReturnType<typeof commandLine>

/** Runs commands of the program in one environment. */
export function commandLine(env: Record<string, string>) {
  const run = (...args: string[]) => hostedLatchkey(args, env)

  /** Runs a command that must succeed. @returns its standard output */
  async function text(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await run(...args)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return stdout
  }

  /** Runs a command with --json and parses its output. */
  async function json(...args: string[]) {
    const line = await text(...args, '--json')
    expect(line).toMatch(/^.+\n$/) // one line
    return JSON.parse(line)
  }

  return { run, text, json }
}
