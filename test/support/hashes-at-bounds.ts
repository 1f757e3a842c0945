import { readPasswordHash } from '../../src/directory/password-hashes.ts'

export const salt = 'c2FsdHNhbHQxMjM0NTY3OA'
export const output = 'A'.repeat(43)
export const bcryptTail = 'abcdefghijklmnopqrstuusv157d2qemDPC2TqRF6YnOtjqDIkhye'
const longest = 'A'.repeat(86)

/** Hashes with the largest parameters that an import accepts, and the smallest. */
export const hashesAtBounds = [
  `$argon2i$v=19$m=1024,t=10,p=1$${longest}$${longest}`,
  `$scrypt$ln=17,r=8,p=2$${salt}$${output}`,
  `$scrypt$ln=1,r=32,p=16$${longest}$${longest}`,
  `$scrypt$ln=15,r=1,p=16$${salt}$${output}`,
  `$scrypt$ln=1,r=1,p=1$${salt}$${output}`,
]

/** Each takes up to a second of one processor. test/long/imported-passwords.test.ts verifies them. */
export const expensiveHashesAtBounds = [
  `$argon2id$v=19$m=131072,t=5,p=8$${salt}$${output}`,
  `$2b$14$${bcryptTail}`,
  `$scrypt$ln=12,r=32,p=16$${salt}$${output}`,
  `$pbkdf2-sha512$i=2000000$${salt}$${longest}`,
]

/** Verifies a wrong password against each. @returns `false` for each, or why a hash is not supported */
export function verifyAll(hashes: string[]): Promise<(boolean | string)[]> {
  return Promise.all(
    hashes.map((hash) => {
      const read = readPasswordHash(hash)
      return read.kind === 'valid' ? read.verify('another password') : read.reason
    }),
  )
}
