// A process of a partner: makes calls in parallel with the built client library and prints what came of them.
// Usage: node sdk-process.mjs JSON, with { options, directory, key, calls }
import { createLatchkey, fileStore } from '../../sdk/dist/esm/index.js'

const { options, directory, key, calls } = JSON.parse(process.argv[2])
const client = createLatchkey({ ...options, store: fileStore(directory) }).client(key)
// All processes begin together.
process.send('ready')
process.once('message', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: calls }, () => client.household('h1')))
  process.send(
    outcomes.map(({ status, reason }) => reason?.message ?? status),
    () => process.disconnect(),
  )
})
