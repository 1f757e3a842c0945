import { execFile } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from '../../src/config.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'latchkey-config-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const secret = 'a secret of 32 bytes or more, truly'
const databaseUrl = 'postgres://latchkey:hunter2@db.example:5432/latchkey'

function read(env: Record<string, string> = {}) {
  return readConfig({ LATCHKEY_DATA_DIR: dataDir, ...env })
}

function faultsOf(env: Record<string, string>): string[] {
  try {
    read(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
  return []
}

describe('the secret in a file', () => {
  const fileWith = (text: string, mode = 0o600) => {
    const file = join(dataDir, 'my-secret')
    writeFileSync(file, text)
    chmodSync(file, mode)
    return file
  }

  test.each([secret, `${secret}\n`, `${secret}\r\n`])('%j is read without its last line break', (text) => {
    for (const [more, mode] of [
      [{}, 0o400],
      [{ DATABASE_URL: databaseUrl }, 0o440],
    ] as const) {
      const file = fileWith(text, mode)
      expect(read({ LATCHKEY_SECRET_FILE: file, ...more }).secret).toBe(secret)
      rmSync(file)
      expect(existsSync(join(dataDir, 'secret'))).toBe(false)
    }
  })

  test('LATCHKEY_SECRET_FILE and LATCHKEY_SECRET together are refused', () => {
    expect(faultsOf({ LATCHKEY_SECRET_FILE: fileWith(secret), LATCHKEY_SECRET: secret })).toEqual([
      'LATCHKEY_SECRET_FILE: must not be set together with LATCHKEY_SECRET',
    ])
  })

  test('a missing file and a directory are refused, and the error names the file', () => {
    const file = join(dataDir, 'none')
    expect(faultsOf({ LATCHKEY_SECRET_FILE: file })).toEqual([
      expect.stringMatching(/^LATCHKEY_SECRET_FILE: the file cannot be read: ENOENT.*none/),
    ])
    expect(faultsOf({ LATCHKEY_SECRET_FILE: dataDir })).toEqual([
      expect.stringMatching(/^LATCHKEY_SECRET_FILE: the file cannot be read: EISDIR/),
    ])
    expect(existsSync(join(dataDir, 'secret'))).toBe(false)
  })

  test.each([0o604, 0o620, 0o666, 0o660])(
    'a file of mode %o is refused, and the error names the chmod command that fixes it',
    (mode) => {
      const file = fileWith(secret, mode)
      expect(faultsOf({ LATCHKEY_SECRET_FILE: file })).toEqual([
        `LATCHKEY_SECRET_FILE: other users of this machine have access to ${file}; run: chmod 600 '${file}'`,
      ])
    },
  )

  test('a file with fewer than 32 bytes is refused', () => {
    for (const text of ['x'.repeat(31), `${'x'.repeat(31)}\n`, '', '\n']) {
      const file = fileWith(text)
      expect(faultsOf({ LATCHKEY_SECRET_FILE: file })).toEqual([
        `LATCHKEY_SECRET_FILE: the secret in ${file} must be 32 bytes or more`,
      ])
      rmSync(file)
    }
  })

  test('errors of the file are reported together with all other errors', () => {
    const file = join(dataDir, 'none')
    expect(
      faultsOf({ LATCHKEY_SECRET_FILE: file, LATCHKEY_LOG_LEVEL: 'loud', LATCHKEY_PORT: 'x' }),
    ).toHaveLength(3)
  })
})

describe('the secret', () => {
  test('is generated once, stored with mode 600 and reused', () => {
    const first = read().secret
    expect(statSync(join(dataDir, 'secret')).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(dataDir, 'secret'), 'utf8')).toBe(first)
    expect(read().secret).toBe(first)
    expect(readdirSync(dataDir)).toEqual(['secret'])
  })

  test('differs between data directories', () => {
    expect(read({ LATCHKEY_DATA_DIR: join(dataDir, 'deep/other') }).secret).not.toBe(read().secret)
  })

  test('is LATCHKEY_SECRET if that is set, and nothing is stored', () => {
    expect(read({ LATCHKEY_SECRET: secret }).secret).toBe(secret)
    expect(readdirSync(dataDir)).toEqual([])
  })

  test('is refused, not replaced, if the stored secret is damaged', () => {
    writeFileSync(join(dataDir, 'secret'), 'damaged')
    expect(faultsOf({})).toEqual([expect.stringMatching(/^LATCHKEY_SECRET: .*32 bytes/)])
    expect(readFileSync(join(dataDir, 'secret'), 'utf8')).toBe('damaged')
  })

  test('is required with DATABASE_URL, even if the data directory contains one', () => {
    read()
    expect(faultsOf({ DATABASE_URL: databaseUrl })).toEqual([
      expect.stringMatching(/^LATCHKEY_SECRET: .*required with DATABASE_URL/),
    ])
    expect(faultsOf({ DATABASE_URL: databaseUrl, LATCHKEY_SECRET: 'kept' })).toHaveLength(1)
  })

  test.each([
    ['31 bytes', 'x'.repeat(31), 1],
    ['32 bytes', 'x'.repeat(32), 0],
    ['32 bytes in 16 characters', 'ü'.repeat(16), 0],
  ])('with a length of %s', (_size, text, faults) => {
    expect(faultsOf({ LATCHKEY_SECRET: text })).toHaveLength(faults)
  })

  test('is not generated if the configuration is refused', () => {
    expect(faultsOf({ LATCHKEY_PORT: 'x' })).toHaveLength(1)
    expect(readdirSync(dataDir)).toEqual([])
  })

  test('is a configuration error if it cannot be stored', () => {
    writeFileSync(join(dataDir, 'file'), '')
    expect(faultsOf({ LATCHKEY_DATA_DIR: join(dataDir, 'file/data') })).toEqual([
      expect.stringMatching(/^LATCHKEY_SECRET: ENOTDIR/),
    ])
  })
})

test('several processes that start at once on an empty data directory use the same secret', async () => {
  const built = new URL('../../dist/config.js', import.meta.url).href
  const script = `import { readConfig } from '${built}'; console.log(readConfig(process.env).secret)`
  const secrets = await Promise.all(
    Array.from(
      { length: 6 },
      () =>
        new Promise<string>((done, failed) => {
          const args = ['--input-type=module', '--eval', script]
          const env = { PATH: process.env.PATH, LATCHKEY_DATA_DIR: dataDir }
          execFile(process.execPath, args, { env }, (error, stdout) => (error ? failed(error) : done(stdout)))
        }),
    ),
  )
  expect(secrets[0]?.trim()).toMatch(/^[A-Za-z0-9_-]{64}$/)
  expect(new Set(secrets).size).toBe(1)
})
