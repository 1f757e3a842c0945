import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { ConfigError, readConfig } from '../../src/config.ts'

/** Call it at the top level of a file. Each test then reads the configuration with a new, empty data directory. */
export function configFixture() {
  const fixture = {
    dataDir: '',
    read: (env: Record<string, string> = {}) => readConfig({ LATCHKEY_DATA_DIR: fixture.dataDir, ...env }),
    /** The faults of a configuration; none if it is valid. */
    faultsOf(env: Record<string, string>): string[] {
      try {
        fixture.read(env)
      } catch (error) {
        if (error instanceof ConfigError) return error.faults
        throw error
      }
      return []
    },
  }
  beforeEach(() => {
    fixture.dataDir = mkdtempSync(join(tmpdir(), 'latchkey-config-'))
  })
  afterEach(() => rmSync(fixture.dataDir, { recursive: true, force: true }))
  return fixture
}
