import { expect } from 'vitest'
import { hostedLatchkey } from './latchkey.ts'

export type CommandLine = ReturnType<typeof commandLine>

/** The program's commands in one environment. */
export function commandLine(env: Record<string, string>) {
  const run = (...args: string[]) => hostedLatchkey(args, env)

  /** Standard output of a command that has to succeed. */
  async function text(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await run(...args)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return stdout
  }

  /** The same with --json, parsed. */
  async function json(...args: string[]) {
    const line = await text(...args, '--json')
    expect(line).toMatch(/^.+\n$/) // one line
    return JSON.parse(line)
  }

  return { run, text, json }
}
