// Runs the program in its first argument. Exits when the parent process ends, even if the parent was killed. A killed
// demo therefore leaves no partner application on the port.
import { pathToFileURL } from 'node:url'

process.once('disconnect', () => process.exit())
process.channel?.unref() // the open channel does not keep this process running
const [, , program] = process.argv
if (program) await import(pathToFileURL(program).href)
