// Runs commands of the built program one after the other in this process. Loading the program in Node takes 0.6 s, and so
// it is loaded only once. Each command evaluates cli/main.js again; the modules that it imports keep no state.
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'

const program = pathToFileURL(process.argv[2]).href
const started = { ...process.env }
let commands = 0

class Exit extends Error {}

process.on('message', async ({ args, env, input }) => {
  const output = { stdout: '', stderr: '' }
  let code
  for (const name of ['stdout', 'stderr']) {
    process[name].write = (text) => {
      if (code === undefined) output[name] += text // a process that has exited writes nothing
      return true
    }
  }
  process.exit = (exitCode) => {
    code ??= exitCode ?? process.exitCode ?? 0
    throw new Exit()
  }
  process.exitCode = undefined
  process.argv = [process.argv[0], program, ...args]
  process.env = { PATH: started.PATH, ...env }
  Object.defineProperty(process, 'stdin', { value: Readable.from([Buffer.from(input)]), configurable: true })
  try {
    await import(`${program}?command=${++commands}`)
  } catch (error) {
    if (!(error instanceof Exit)) throw error
  }
  process.send({ code: code ?? process.exitCode ?? 0, ...output })
})
