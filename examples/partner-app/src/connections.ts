import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { Type } from 'typebox'
import { Tokens } from './authorization.ts'
import { parseJson } from './parse-json.ts'

export type Connections = ReturnType<typeof openConnections>

/** The tokens of every connected browser session. They are in one file that only the app's system user can read. */
export function openConnections(file: string) {
  const connections = new Map(Object.entries(read(file)))

  // Synchronous: writes never overlap, and a token is on disk before it is used.
  function save() {
    const draft = `${file}.draft`
    const text = JSON.stringify(Object.fromEntries(connections), null, 2)
    writeFileSync(draft, text, { mode: 0o600, flush: true })
    renameSync(draft, file)
  }

  // If the file cannot be written, the app fails when it starts and not after a login.
  save()

  return {
    get(sessionId: string | undefined) {
      return sessionId === undefined ? undefined : connections.get(sessionId)
    },
    put(sessionId: string, tokens: Tokens) {
      connections.set(sessionId, tokens)
      save()
    },
    delete(sessionId: string) {
      if (connections.delete(sessionId)) save()
    },
  }
}

function read(file: string) {
  if (!existsSync(file)) return {}
  try {
    return parseJson(Type.Record(Type.String(), Tokens), readFileSync(file, 'utf8'))
  } catch (cause) {
    throw new Error(`${file} is not a valid data file. Repair it or move it away.`, { cause })
  }
}
