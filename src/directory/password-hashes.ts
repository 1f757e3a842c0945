import { pbkdf2, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { parseOptions as argon2Options, verify as verifyArgon2 } from '@node-rs/argon2'
import { verify as verifyBcrypt } from '@node-rs/bcrypt'

/**
 * The password hashes that Latchkey can verify: its own, and those that an import brings from other systems (docs/import.md).
 * The bounds limit what one login costs. A hash is text from outside, which could otherwise occupy a processor and memory for
 * minutes.
 */
export type PasswordHash =
  | {
      kind: 'valid'
      /** Runs on libuv's threads. Never throws for a wrong password. */
      verify(password: string): Promise<boolean>
    }
  /** Continues after the name of the column. It does not contain the hash. */
  | { kind: 'refused'; reason: string }

/** In KiB. OWASP recommends up to 128 MiB for scrypt. Django's argon2 uses 100 MiB. */
const maxMemory = 131_072

/** In KiB: the memory that argon2 or scrypt fills, times how often it is filled. About a second of one processor. */
const maxMemoryWork = { argon2: 655_360, scrypt: 262_144 }

/** Passes and lanes of argon2. */
const maxPasses = 10
const maxLanes = 8

/** Each step doubles the work. */
const maxBcryptCost = 14

/**
 * `r` and `p` of scrypt. OpenSSL allocates 128 * r * (N + p + 2) bytes. Within these bounds that is at most 72 KiB more than
 * 128 * r * N, which `maxMemory` limits. A large `p` with a small N also takes more time than its memory tells.
 */
const maxBlockSize = 32
const maxParallelization = 16

/** Counted for each block of the output. Django 6 uses 1,200,000. */
const maxIterations = 2_000_000

/** In bytes. A shorter output would match many passwords. bcrypt has fixed lengths. */
const saltLength = { min: 8, max: 64 }
const outputLength = { min: 16, max: 64 }

/** In characters. The longest accepted hash has about 220. */
const maxText = 512

const supported =
  'is not a supported password hash: Latchkey reads argon2id, argon2i, bcrypt ($2a$, $2b$, $2y$), scrypt ($scrypt$ln=…) and PBKDF2 ($pbkdf2-sha256$…, pbkdf2_sha256$…)'

/** Reads a password hash in any supported notation, and checks its bounds. */
export function readPasswordHash(text: string): PasswordHash {
  if (text.length > maxText) return { kind: 'refused', reason: `is longer than ${maxText} characters` }
  try {
    const hash = argon2(text) ?? bcrypt(text) ?? scryptHash(text) ?? pbkdf2Hash(text)
    return hash ?? { kind: 'refused', reason: supported }
  } catch (error) {
    if (error instanceof Refused) return { kind: 'refused', reason: error.message }
    throw error
  }
}

type Reader = (text: string) => PasswordHash | null

class Refused extends Error {}

function atMost(what: string, value: number, most: number): void {
  if (value > most) throw new Refused(`its ${what} is ${value}; the maximum is ${most}`)
}

function checkLengths(salt: number, output: number): void {
  for (const [what, value, { min, max }] of [
    ['salt', salt, saltLength],
    ['output', output, outputLength],
  ] as const) {
    if (value < min || value > max) {
      throw new Refused(`its ${what} has ${value} bytes; it must have ${min} to ${max}`)
    }
  }
}

/** PHC string format. A missing version is 16, the first one. */
const argon2: Reader = (text) => {
  if (!/^\$argon2id?\$(v=\d+\$)?m=\d+,t=\d+,p=\d+\$[^$]+\$[^$]+$/.test(text)) return null
  const { memoryCost, timeCost, parallelism, saltLen, outputLen } = parsed('argon2', () =>
    argon2Options(text),
  )
  atMost('memory in KiB', memoryCost, maxMemory)
  atMost('number of passes', timeCost, maxPasses)
  atMost('number of lanes', parallelism, maxLanes)
  atMost('memory in KiB times passes', memoryCost * timeCost, maxMemoryWork.argon2)
  checkLengths(saltLen, outputLen)
  return { kind: 'valid', verify: (password) => verifyArgon2(text, password) }
}

/** Modular crypt format. Bits that the encoding does not use must be zero, as in every implementation. */
const bcrypt: Reader = (text) => {
  if (!/^\$2[aby]\$/.test(text)) return null
  if (!/^\$2.\$\d\d\$[./\w]{21}[.Oeu][./\w]{30}[.CGKOSWaeimquy26]$/.test(text)) throw damaged('bcrypt')
  const cost = Number(text.slice(4, 6))
  if (cost < 4) throw damaged('bcrypt')
  atMost('bcrypt cost', cost, maxBcryptCost)
  return {
    kind: 'valid',
    // bcrypt reads 72 bytes of a password. In C it ends at a NUL; this library would read on, and repeat what it has read.
    verify: async (password) => (await verifyBcrypt(password, text)) && !password.includes('\0'),
  }
}

/** PHC string format, as written by passlib and by the libraries of Rust and Node. */
const scryptHash: Reader = (text) => {
  const match = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,9}),p=(\d{1,9})\$([^$]+)\$([^$]+)$/.exec(text)
  if (!match) return null
  const [ln = 0, r = 0, p = 0] = match.slice(1, 4).map(Number)
  const [salt, output] = [decoded('scrypt', match[4]), decoded('scrypt', match[5])]
  if (ln < 1 || ln >= 16 * r || p < 1) throw damaged('scrypt')
  atMost('block size r', r, maxBlockSize)
  atMost('parallelization p', p, maxParallelization)
  const memory = (2 ** ln * r) / 8
  atMost('memory in KiB', memory, maxMemory)
  atMost('memory in KiB times parallelization', memory * p, maxMemoryWork.scrypt)
  checkLengths(salt.length, output.length)
  const options = { N: 2 ** ln, r, p, maxmem: 128 * r * (2 ** ln + p + 2) }
  const derive = promisify<string, Buffer, number, typeof options, Buffer>(scrypt)
  return {
    kind: 'valid',
    verify: async (password) => timingSafeEqual(await derive(password, salt, output.length, options), output),
  }
}

const blockLength: Record<string, number> = { sha1: 20, sha256: 32, sha512: 64 }

/**
 * PHC string format (`$pbkdf2-sha256$i=…,l=…$`), passlib's modular crypt format (`$pbkdf2-sha256$…$`, with `.` for `+`; there
 * `$pbkdf2$` is SHA-1), and Django's `pbkdf2_sha256$…$`, in which the salt is text.
 */
const pbkdf2Hash: Reader = (text) => {
  const match =
    /^\$pbkdf2(?:-(?<digest>sha1|sha256|sha512))?\$(?:i=)?(?<i>\d{1,12})(?:,l=(?<l>\d{1,4}))?\$(?<salt>[^$]+)\$(?<output>[^$=]+)$/.exec(
      text,
    )?.groups ??
    /^pbkdf2_(?<digest>sha1|sha256)\$(?<i>\d{1,12})\$(?<text>[^$]+)\$(?<output>[^$=]+)={0,2}$/.exec(text)
      ?.groups
  if (!match) return null
  const { digest = 'sha1', i, l, salt: encodedSalt, text: textSalt } = match
  const salt = textSalt === undefined ? decoded('PBKDF2', encodedSalt) : Buffer.from(textSalt)
  const output = decoded('PBKDF2', match.output)
  const iterations = Number(i)
  if (iterations < 1 || (l !== undefined && Number(l) !== output.length)) throw damaged('PBKDF2')
  const blocks = Math.ceil(output.length / (blockLength[digest] ?? 1))
  atMost('number of iterations', iterations, maxIterations)
  atMost('number of iterations times blocks of output', iterations * blocks, maxIterations)
  checkLengths(salt.length, output.length)
  const derive = promisify(pbkdf2)
  return {
    kind: 'valid',
    verify: async (password) =>
      timingSafeEqual(await derive(password, salt, iterations, output.length, digest), output),
  }
}

function damaged(format: string): Refused {
  return new Refused(`is a damaged ${format} hash, which no password can match`)
}

function parsed<T>(format: string, parse: () => T): T {
  try {
    return parse()
  } catch {
    throw damaged(format)
  }
}

/** Base64 without padding. Bits that the encoding does not use must be zero. */
function decoded(format: string, text = ''): Buffer {
  const standard = text.replaceAll('.', '+')
  const bytes = Buffer.from(standard, 'base64')
  if (bytes.toString('base64').replace(/=+$/, '') !== standard) throw damaged(format)
  return bytes
}
