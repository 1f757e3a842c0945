import type { Config } from './config.ts'
import type { Database } from './database/database.ts'
import type { Usage } from './grants/usage.ts'
import type { FarPages } from './households/far-pages.ts'
import type { Keyring } from './keys/keyring.ts'
import type { HashingGate } from './login/hashing-gate.ts'
import type { DerivedKeys } from './secrets/derived-keys.ts'

/** What a slice may reach for. Whatever is not in here, it has no business with. */
export type Context = {
  config: Config
  database: Database
  keys: DerivedKeys
  hashing: HashingGate
  keyring: Keyring
  farPages: FarPages
  usage: Usage
  /** The server's clock. What the database decides, it decides by its own (docs/adr/0006). */
  now(): Date
}
