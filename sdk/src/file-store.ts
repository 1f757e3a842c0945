import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isObject } from './http.ts'
import type { TokenStore, Tokens } from './store.ts'

/** Milliseconds after which a lock is taken over, because the process that held it has crashed. */
const abandonedAfter = 60_000

/** Milliseconds between two marks that the process still holds its lock: a refresh with retries can take minutes. */
const markEvery = 10_000

/**
 * Keeps each connection in a file in `directory`, which only the user of the process can read. For programs with several
 * processes on one machine. The tokens are not encrypted.
 */
export function fileStore(directory: string): TokenStore {
  // A hash, because a key may hold characters that a file name may not.
  const fileOf = (key: string) => join(directory, createHash('sha256').update(key).digest('hex'))

  return {
    async get(key) {
      const text = await readFile(fileOf(key), 'utf8').catch(unless('ENOENT'))
      return text === undefined ? undefined : parseTokens(text, fileOf(key))
    },
    async set(key, tokens) {
      await mkdir(directory, { recursive: true, mode: 0o700 })
      const draft = `${fileOf(key)}.${randomUUID()}`
      await writeFile(draft, JSON.stringify(tokens), { mode: 0o600, flush: true })
      await rename(draft, fileOf(key))
    },
    async delete(key) {
      await rm(fileOf(key), { force: true })
    },
    async lock(key, work) {
      await mkdir(directory, { recursive: true, mode: 0o700 })
      const lock = `${fileOf(key)}.lock`
      while (!(await takeLock(lock))) await sleep(10 + Math.random() * 20)
      const mark = () => utimes(lock, new Date(), new Date()).catch(unless('ENOENT'))
      const marks = setInterval(mark, markEvery).unref()
      try {
        return await work()
      } finally {
        clearInterval(marks)
        await rm(lock, { force: true })
      }
    },
  }
}

async function takeLock(lock: string): Promise<boolean> {
  const taken = await writeFile(lock, '', { flag: 'wx' }).then(() => true, unless('EEXIST'))
  if (taken) return true
  const held = await stat(lock).catch(unless('ENOENT'))
  if (held && Date.now() - held.mtimeMs > abandonedAfter) await rm(lock, { force: true })
  return false
}

/** For `catch`: the result is undefined if the error has this code. */
function unless(code: string) {
  return (error: unknown): undefined => {
    if (!isObject(error) || error.code !== code) throw error
  }
}

function parseTokens(text: string, file: string): Tokens {
  const value: unknown = JSON.parse(text)
  if (isTokens(value)) return value
  throw new Error(`${file} does not hold the tokens of a connection`)
}

function isTokens(value: unknown): value is Tokens {
  return (
    isObject(value) &&
    typeof value.accessToken === 'string' &&
    typeof value.refreshToken === 'string' &&
    typeof value.expiresAt === 'number'
  )
}
