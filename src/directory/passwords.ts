import { hash, parseOptions, verify } from '@node-rs/argon2'

/** Maximum length of a password, in bytes of UTF-8. It limits the time that a request can use. */
export const maxPasswordBytes = 1024

/** OWASP's cost for argon2id: 19 MiB, 2 passes, one lane. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** The hash of 32 random bytes that were not kept, with `cost`. No password matches it. */
const dummyHash =
  '$argon2id$v=19$m=19456,t=2,p=1$CzaPZkrFBc8+A+DfjLmQ4Q$/m9xMCxgzJ7XwmgIpcV8O7FhHa80I2xKJSkglahY4Ek'

/** Returns an argon2id PHC string. Does not block the event loop. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, cost)
}

/**
 * Whether the password matches the hash. Without a hash (the user does not exist or may not log in) it does the same work
 * and returns false: the response time must not reveal which addresses exist.
 */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  const possible = hash !== null && Buffer.byteLength(password) <= maxPasswordBytes
  const matches = await verify(possible ? hash : dummyHash, possible ? password : '')
  return possible && matches
}

/** Whether the text is an argon2id PHC string that `verifyPassword` accepts: at most 64 MiB, 10 passes and 4 lanes. */
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
