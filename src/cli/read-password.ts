import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { CommandError } from './command.ts'

/** Reads all of standard input without its last line break. A terminal does not show what is typed. */
export function readPassword(what: 'password' | 'client secret' = 'password'): Promise<string> {
  return process.stdin.isTTY ? prompt(`${what.charAt(0).toUpperCase()}${what.slice(1)}: `) : readAll(what)
}

async function readAll(what: string): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of process.stdin) pieces.push(piece)
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces))
    return text.replace(/\r?\n$/, '')
  } catch {
    throw new CommandError(`The ${what} on standard input is not UTF-8.`)
  }
}

async function prompt(question: string): Promise<string> {
  const discardedOutput = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: discardedOutput, terminal: true })
  process.stderr.write(question)
  try {
    return await terminal.question('')
  } catch {
    throw new CommandError('Interrupted: nothing was changed.') // Ctrl-C or Ctrl-D
  } finally {
    terminal.close()
    process.stderr.write('\n')
  }
}
