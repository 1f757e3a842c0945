import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { keyIdOf } from './derived-keys.ts'

/** The secret of the embedded database, and the one before it. */
export const secretFile = (dataDir: string) => join(dataDir, 'secret')
export const previousSecretFile = (dataDir: string) => join(dataDir, 'secret.previous')

/** Generates the secret of a data directory that has none. If another process generates one first, that one stays. */
export function makeSecretFile(dataDir: string): void {
  const file = secretFile(dataDir)
  mkdirSync(dataDir, { recursive: true, mode: 0o711 })
  // The file gets its name when it is complete and on disk. No process can read half a secret, even after a crash.
  const draft = writeDraft(file, newSecret())
  try {
    linkSync(draft, file)
  } catch (error) {
    if (!existsSync(file)) throw error // another process created it first
  } finally {
    rmSync(draft)
  }
}

/**
 * Replaces the secret by a new one. A crash leaves the old secret, or the new one with `previous`, never less.
 * @param previous the secret that stays accepted; undefined: none
 * @param used no key id of these secrets is used again
 */
export function replaceSecretFile(dataDir: string, previous: string | undefined, used: string[]): void {
  const ids = used.map(keyIdOf)
  let secret = newSecret()
  while (ids.includes(keyIdOf(secret))) secret = newSecret()
  if (previous !== undefined) replaceFile(dataDir, previousSecretFile(dataDir), previous)
  replaceFile(dataDir, secretFile(dataDir), secret)
  if (previous === undefined) rmSync(previousSecretFile(dataDir), { force: true })
}

function newSecret(): string {
  return randomBytes(48).toString('base64url')
}

function writeDraft(file: string, text: string): string {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, text, { mode: 0o600, flush: true })
  return draft
}

function replaceFile(dataDir: string, file: string, text: string): void {
  renameSync(writeDraft(file, text), file)
  const directory = openSync(dataDir, 'r')
  fsyncSync(directory)
  closeSync(directory)
}
