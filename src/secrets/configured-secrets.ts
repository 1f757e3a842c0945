import { existsSync, readFileSync, statSync } from 'node:fs'
import { keyIdOf } from './derived-keys.ts'
import { makeSecretFile, previousSecretFile, secretFile } from './secret-files.ts'

/** The secrets of a deployment in their three roles. docs/secret.md explains how they are replaced. */
export type Secrets = {
  /** Makes everything new. Empty if it would be in the data directory, and is not there yet. */
  secret: string
  /** The secret after this one. Accepted, so that servers which use it already can be restarted one by one. */
  nextSecret?: string
  /** The secret before this one. Accepted until everything made with it has expired. */
  previousSecret?: string
  /** Whether the secrets are in files of the data directory, which `latchkey secret rotate` replaces. */
  secretInDataDir: boolean
}

type ReadVariable = <T>(name: string, defaultText: string, parse: (text: string) => T) => T | undefined

type Source = {
  env: NodeJS.ProcessEnv
  /** Reads one variable and reports a fault in it. */
  read: ReadVariable
  faults: string[]
  dataDir: string
  /** Whether to generate the secret in the data directory if it is missing. */
  makeSecret: boolean
}

/** Reads and checks all secrets. @returns undefined if there is a fault; all faults are then in `faults` */
export function readSecrets(source: Source): Secrets | undefined {
  const { env, faults } = source
  const secretInDataDir = !env.DATABASE_URL && !isSet(source, 'LATCHKEY_SECRET')
  const secrets = secretInDataDir ? readDataDir(source) : readVariables(source)
  if (secrets) faults.push(...conflictsOf(secrets))
  if (!secrets || faults.length > 0) return undefined
  const { secret, nextSecret, previousSecret } = secrets
  return {
    secret,
    ...(nextSecret ? { nextSecret } : {}),
    ...(previousSecret ? { previousSecret } : {}),
    secretInDataDir,
  }
}

type Roles = { secret: string; nextSecret?: string | undefined; previousSecret?: string | undefined }

function readVariables(source: Source): Roles | undefined {
  const required =
    'must be 32 bytes or more, and is required with DATABASE_URL; `openssl rand -base64 48` makes one'
  const secret = readVariable(source, 'LATCHKEY_SECRET', (text) => checkedLength(text, required))
  const [nextSecret, previousSecret] = ['LATCHKEY_SECRET_NEXT', 'LATCHKEY_SECRET_PREVIOUS'].map((name) =>
    readVariable(source, name, (text) => text && checkedLength(text, 'must be 32 bytes or more')),
  )
  return secret === undefined ? undefined : { secret, nextSecret, previousSecret }
}

/** Reads the secret from the variable, or from the file that `<name>_FILE` names. */
function readVariable(
  { env, read, faults }: Source,
  name: string,
  parse: (text: string) => string,
): string | undefined {
  if (!env[`${name}_FILE`]) return read(name, '', parse)
  if (env[name]) faults.push(`${name}_FILE: must not be set together with ${name}`)
  return read(`${name}_FILE`, '', parseSecretFile)
}

function isSet({ env }: Source, name: string): boolean {
  return Boolean(env[name] || env[`${name}_FILE`])
}

/**
 * Servers that share a database need the same secret, but each has its own data directory. The secret there is therefore
 * only for the embedded database, which cannot be used without it.
 */
function readDataDir(source: Source): Roles | undefined {
  const { faults, read, dataDir, makeSecret } = source
  for (const name of ['LATCHKEY_SECRET_NEXT', 'LATCHKEY_SECRET_PREVIOUS']) {
    if (!isSet(source, name)) continue
    faults.push(
      `${name}: needs LATCHKEY_SECRET; \`latchkey secret rotate\` replaces a secret in the data directory`,
    )
  }
  if (faults.length > 0) return undefined
  return read('LATCHKEY_SECRET', '', () => {
    const file = secretFile(dataDir)
    if (!existsSync(file)) {
      if (!makeSecret) return { secret: '' }
      makeSecretFile(dataDir)
    }
    const secret = checkedLength(readFileSync(file, 'utf8'), `the secret in ${file} must be 32 bytes or more`)
    const before = previousSecretFile(dataDir)
    const previousSecret = existsSync(before) ? readFileSync(before, 'utf8') : secret
    if (previousSecret === secret) return { secret } // there was no rotation, or it was interrupted
    return {
      secret,
      previousSecret: checkedLength(previousSecret, `the secret in ${before} must be 32 bytes or more`),
    }
  })
}

function checkedLength(text: string, fault: string): string {
  if (Buffer.byteLength(text) < 32) throw new Error(fault)
  return text
}

/**
 * Returns the content of the file without the final line break. The group of the file may read it, because container
 * volumes often belong to a group. The group must not write, and other users must have no access.
 */
function parseSecretFile(file: string): string {
  let text: string
  try {
    text = readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    throw new Error(`the file cannot be read: ${error instanceof Error ? error.message : error}`)
  }
  if ((statSync(file).mode & 0o027) !== 0) {
    throw new Error(`other users of this machine have access to ${file}; run: chmod 600 '${file}'`)
  }
  return checkedLength(text, `the secret in ${file} must be 32 bytes or more`)
}

/** Tokens name their secret by its key id, so two accepted secrets must not share one. */
function conflictsOf({ secret, nextSecret, previousSecret }: Roles): string[] {
  const roles = [
    { name: 'LATCHKEY_SECRET', text: secret },
    { name: 'LATCHKEY_SECRET_NEXT', text: nextSecret },
    { name: 'LATCHKEY_SECRET_PREVIOUS', text: previousSecret },
  ].flatMap(({ name, text }) => (text ? { name, text, id: keyIdOf(text) } : []))
  return roles.flatMap((role, place) => {
    const twin = roles.slice(0, place).find(({ id }) => id === role.id)
    if (!twin) return []
    return twin.text === role.text
      ? `${role.name}: must differ from ${twin.name}`
      : `${role.name}: has by chance the same key id as ${twin.name}; choose another secret`
  })
}
