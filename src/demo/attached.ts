// Runs the program named by its first argument, and ends with the process that started it, however that one ended: a
// killed demo leaves no partner application behind on its port.
import { pathToFileURL } from 'node:url'

process.once('disconnect', () => process.exit())
process.channel?.unref() // the program ends when it is done, listened to or not
const [, , program] = process.argv
if (program) await import(pathToFileURL(program).href)
