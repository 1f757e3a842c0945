import { hash, verify } from '@node-rs/argon2'
import { readPasswordHash } from './password-hashes.ts'

/** Maximum length of a password, in bytes of UTF-8. It limits the time that a request can use. */
export const maxPasswordBytes = 1024

/** Parameters of argon2id. `memoryCost` is in KiB. */
export type PasswordCost = { memoryCost: number; timeCost: number; parallelism: number }

/** OWASP's cost for argon2id: 19 MiB, 2 passes, one lane. */
export const passwordCost: PasswordCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** The hash of 32 random bytes that were not kept, with `passwordCost`. No password matches it. */
const dummyHash =
  '$argon2id$v=19$m=19456,t=2,p=1$CzaPZkrFBc8+A+DfjLmQ4Q$/m9xMCxgzJ7XwmgIpcV8O7FhHa80I2xKJSkglahY4Ek'

/** Returns an argon2id PHC string. Does not block the event loop. */
export function hashPassword(password: string, cost = passwordCost): Promise<string> {
  return hash(password, cost)
}

/** Whether the hash is what `hashPassword` returns: not a foreign format, and not another cost. */
export function isCurrentHash(hash: string, { memoryCost, timeCost, parallelism }: PasswordCost): boolean {
  return hash.startsWith(`$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$`)
}

/**
 * Whether the password matches the hash. Without a usable hash (the user does not exist or may not log in) it does work that
 * is like that for a hash of the server, and returns false: the response time must not reveal which addresses exist. A stored
 * hash that cannot be verified matches no password. An error would reveal it to everyone whose login verifies it as a decoy.
 * @param onFault gets the reason why a stored hash could not be verified
 */
export async function verifyPassword(
  password: string,
  hash: string | null,
  onFault: (fault: Error) => void = () => {},
): Promise<boolean> {
  if (hash !== null && Buffer.byteLength(password) <= maxPasswordBytes) {
    try {
      const stored = readPasswordHash(hash)
      if (stored.kind === 'valid') return await stored.verify(password)
      onFault(new Error(`The stored password hash is not usable: ${stored.reason}.`))
    } catch (error) {
      onFault(new Error('The stored password hash could not be verified.', { cause: error }))
    }
  }
  await verify(dummyHash, '')
  return false
}
