import { hash, parseOptions, verify } from '@node-rs/argon2'

/** The longest password that is looked at, in bytes of UTF-8: a longer one only costs us time. */
export const maxPasswordBytes = 1024

/** OWASP's cost for argon2id: 19 MiB, 2 passes, one lane. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Of 32 random bytes that nobody kept, at `cost`. */
const nobodysHash =
  '$argon2id$v=19$m=19456,t=2,p=1$CzaPZkrFBc8+A+DfjLmQ4Q$/m9xMCxgzJ7XwmgIpcV8O7FhHa80I2xKJSkglahY4Ek'

/** An argon2id PHC string, computed off the event loop. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, cost)
}

/**
 * Whether the password is the one of this hash. Without a hash (no such user, or one who may not log in) the answer
 * is false after the same work, so that its time doesn't tell which addresses exist.
 */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  const possible = hash !== null && Buffer.byteLength(password) <= maxPasswordBytes
  const matches = await verify(possible ? hash : nobodysHash, possible ? password : '')
  return possible && matches
}

/** An argon2id PHC string that `verifyPassword` can work with: at most 64 MiB, 10 passes and 4 lanes. */
export function isPasswordHash(text: string): boolean {
  if (!/^\$argon2id\$v=19\$m=\d+,t=\d+,p=\d+\$[^$]+\$[^$]+$/.test(text)) return false
  try {
    const { memoryCost, timeCost, parallelism, saltLen, outputLen } = parseOptions(text)
    return (
      memoryCost <= 65_536 &&
      timeCost <= 10 &&
      parallelism <= 4 &&
      saltLen <= 64 &&
      outputLen >= 16 &&
      outputLen <= 64
    )
  } catch {
    return false
  }
}
