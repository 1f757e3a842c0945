import { execFile } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { configFixture } from '../support/config.ts'

const secret = 'a secret of 32 bytes or more, truly'
const databaseUrl = 'postgres://latchkey:hunter2@db.example:5432/latchkey'

const fixture = configFixture()
const { read, faultsOf } = fixture

describe('the secret in a file', () => {
  const fileWith = (text: string, mode = 0o600) => {
    const file = join(fixture.dataDir, 'my-secret')
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
      expect(existsSync(join(fixture.dataDir, 'secret'))).toBe(false)
    }
  })

  test('LATCHKEY_SECRET_FILE and LATCHKEY_SECRET together are refused', () => {
    expect(faultsOf({ LATCHKEY_SECRET_FILE: fileWith(secret), LATCHKEY_SECRET: secret })).toEqual([
      'LATCHKEY_SECRET_FILE: must not be set together with LATCHKEY_SECRET',
    ])
  })

  test('a missing file and a directory are refused, and the error names the file', () => {
    const file = join(fixture.dataDir, 'none')
    expect(faultsOf({ LATCHKEY_SECRET_FILE: file })).toEqual([
      expect.stringMatching(/^LATCHKEY_SECRET_FILE: the file cannot be read: ENOENT.*none/),
    ])
    expect(faultsOf({ LATCHKEY_SECRET_FILE: fixture.dataDir })).toEqual([
      expect.stringMatching(/^LATCHKEY_SECRET_FILE: the file cannot be read: EISDIR/),
    ])
    expect(existsSync(join(fixture.dataDir, 'secret'))).toBe(false)
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
    const file = join(fixture.dataDir, 'none')
    expect(
      faultsOf({ LATCHKEY_SECRET_FILE: file, LATCHKEY_LOG_LEVEL: 'loud', LATCHKEY_PORT: 'x' }),
    ).toHaveLength(3)
  })
})

describe('the next and the previous secret', () => {
  const next = 'the next secret, 32 bytes or more'
  const previous = 'the one before it, 32 bytes or more'
  const names = ['LATCHKEY_SECRET_NEXT', 'LATCHKEY_SECRET_PREVIOUS']

  test('are read beside LATCHKEY_SECRET, each from its variable or its file', () => {
    const file = join(fixture.dataDir, 'previous')
    writeFileSync(file, `${previous}\n`, { mode: 0o400 })
    const config = read({
      LATCHKEY_SECRET: secret,
      LATCHKEY_SECRET_NEXT: next,
      LATCHKEY_SECRET_PREVIOUS_FILE: file,
    })
    expect(config).toMatchObject({
      secret,
      nextSecret: next,
      previousSecret: previous,
      secretInDataDir: false,
    })
  })

  test('are absent if their variables are empty', () => {
    const empty = Object.fromEntries(names.map((name) => [name, '']))
    const config = read({ LATCHKEY_SECRET: secret, ...empty })
    expect([config.nextSecret, config.previousSecret]).toEqual([undefined, undefined])
  })

  test('have at least 32 bytes, and every fault is reported', () => {
    const file = join(fixture.dataDir, 'next')
    writeFileSync(file, 'x'.repeat(31), { mode: 0o600 })
    const faults = {
      LATCHKEY_SECRET: 'x'.repeat(31),
      LATCHKEY_SECRET_NEXT: 'x'.repeat(31),
      LATCHKEY_SECRET_NEXT_FILE: file,
      LATCHKEY_SECRET_PREVIOUS: 'x'.repeat(31),
      LATCHKEY_PORT: 'x',
    }
    expect(faultsOf(faults).sort()).toEqual([
      expect.stringMatching(/^LATCHKEY_PORT: /),
      expect.stringMatching(/^LATCHKEY_SECRET: must be 32 bytes or more/),
      `LATCHKEY_SECRET_NEXT_FILE: must not be set together with LATCHKEY_SECRET_NEXT`,
      `LATCHKEY_SECRET_NEXT_FILE: the secret in ${file} must be 32 bytes or more`,
      'LATCHKEY_SECRET_PREVIOUS: must be 32 bytes or more',
    ])
  })

  test('differ from LATCHKEY_SECRET and from each other', () => {
    expect(
      faultsOf({ LATCHKEY_SECRET: secret, LATCHKEY_SECRET_NEXT: secret, LATCHKEY_SECRET_PREVIOUS: secret }),
    ).toEqual([
      'LATCHKEY_SECRET_NEXT: must differ from LATCHKEY_SECRET',
      'LATCHKEY_SECRET_PREVIOUS: must differ from LATCHKEY_SECRET',
    ])
    expect(
      faultsOf({ LATCHKEY_SECRET: secret, LATCHKEY_SECRET_NEXT: next, LATCHKEY_SECRET_PREVIOUS: next }),
    ).toEqual(['LATCHKEY_SECRET_PREVIOUS: must differ from LATCHKEY_SECRET_NEXT'])
  })

  test('have other key ids', () => {
    // Found by a search: two secrets whose key ids are equal by chance.
    const [one, twin] = ['a secret of 32 bytes or more, no. 661', 'a secret of 32 bytes or more, no. 706']
    const faults = faultsOf({ LATCHKEY_SECRET: one, LATCHKEY_SECRET_NEXT: twin })
    expect(faults).toEqual([
      'LATCHKEY_SECRET_NEXT: has by chance the same key id as LATCHKEY_SECRET; choose another secret',
    ])
  })

  test.each(names)('%s needs LATCHKEY_SECRET', (name) => {
    const fault = `${name}: needs LATCHKEY_SECRET; \`latchkey secret rotate\` replaces a secret in the data directory`
    expect(faultsOf({ [name]: next })).toEqual([fault])
    expect(faultsOf({ [`${name}_FILE`]: '/anything' })).toEqual([fault])
    expect(readdirSync(fixture.dataDir)).toEqual([])
  })
})

describe('the secret in the data directory', () => {
  const write = (current: string, previous: string) => {
    writeFileSync(join(fixture.dataDir, 'secret'), current, { mode: 0o600 })
    writeFileSync(join(fixture.dataDir, 'secret.previous'), previous, { mode: 0o600 })
  }

  test('has the previous one beside it', () => {
    write(secret, 'the one before it, 32 bytes or more')
    expect(read()).toMatchObject({ secret, previousSecret: 'the one before it, 32 bytes or more' })
  })

  test('has none beside it if a replacement was interrupted', () => {
    write(secret, secret)
    expect(read().previousSecret).toBeUndefined()
  })

  test('is refused if the previous one is damaged', () => {
    write(secret, 'damaged')
    expect(faultsOf({})).toEqual([
      expect.stringMatching(/^LATCHKEY_SECRET: .*secret\.previous must be 32 bytes/),
    ])
  })
})

describe('the secret', () => {
  test('is generated once, stored with mode 600 and reused', () => {
    const first = read().secret
    expect(statSync(join(fixture.dataDir, 'secret')).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(fixture.dataDir, 'secret'), 'utf8')).toBe(first)
    expect(read().secret).toBe(first)
    expect(readdirSync(fixture.dataDir)).toEqual(['secret'])
  })

  test('differs between data directories', () => {
    expect(read({ LATCHKEY_DATA_DIR: join(fixture.dataDir, 'deep/other') }).secret).not.toBe(read().secret)
  })

  test('is LATCHKEY_SECRET if that is set, and nothing is stored', () => {
    expect(read({ LATCHKEY_SECRET: secret }).secret).toBe(secret)
    expect(readdirSync(fixture.dataDir)).toEqual([])
  })

  test('is refused, not replaced, if the stored secret is damaged', () => {
    writeFileSync(join(fixture.dataDir, 'secret'), 'damaged')
    expect(faultsOf({})).toEqual([expect.stringMatching(/^LATCHKEY_SECRET: .*32 bytes/)])
    expect(readFileSync(join(fixture.dataDir, 'secret'), 'utf8')).toBe('damaged')
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
    expect(readdirSync(fixture.dataDir)).toEqual([])
  })

  test('is a configuration error if it cannot be stored', () => {
    writeFileSync(join(fixture.dataDir, 'file'), '')
    expect(faultsOf({ LATCHKEY_DATA_DIR: join(fixture.dataDir, 'file/data') })).toEqual([
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
          const env = { PATH: process.env.PATH, LATCHKEY_DATA_DIR: fixture.dataDir }
          execFile(process.execPath, args, { env }, (error, stdout) => (error ? failed(error) : done(stdout)))
        }),
    ),
  )
  expect(secrets[0]?.trim()).toMatch(/^[A-Za-z0-9_-]{64}$/)
  expect(new Set(secrets).size).toBe(1)
})
