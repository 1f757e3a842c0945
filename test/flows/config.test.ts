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
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from '../../src/config.ts'
import { latchkey } from '../support/latchkey.ts'

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

describe('without any variable', () => {
  test('the defaults are those that docs/operate.md lists', () => {
    expect(read()).toEqual({
      environment: 'sandbox',
      authUrl: 'http://localhost:4000',
      baseUrl: 'http://localhost:4000/service-open-api/',
      host: '127.0.0.1',
      port: 4000,
      opsHost: '127.0.0.1',
      opsPort: 4001,
      dataDir,
      secret: expect.stringMatching(/^[A-Za-z0-9_-]{64}$/),
      secretInDataDir: true,
      trustedProxies: [],
    })
  })

  test('the data directory is ./data', () => {
    const config = readConfig({ LATCHKEY_SECRET: secret })
    expect(config.dataDir).toBe(resolve('data'))
  })

  test('an empty variable counts as absent', () => {
    const empty = { LATCHKEY_PORT: '', LATCHKEY_SECRET: '', DATABASE_URL: '', LATCHKEY_ENVIRONMENT: '' }
    expect(read(empty)).toEqual(read())
  })
})

test('LATCHKEY_PORT alone changes the port of all addresses', () => {
  expect(read({ LATCHKEY_PORT: '4100' })).toMatchObject({
    port: 4100,
    authUrl: 'http://localhost:4100',
    baseUrl: 'http://localhost:4100/service-open-api/',
  })
})

test('a production deployment can set every variable', () => {
  const config = read({
    LATCHKEY_ENVIRONMENT: 'production',
    LATCHKEY_AUTH_URL: 'https://login.example/',
    LATCHKEY_BASE_URL: 'https://api.example/partners/service-open-api/',
    LATCHKEY_HOST: '0.0.0.0',
    LATCHKEY_PORT: '8080',
    LATCHKEY_OPS_HOST: '10.0.0.5',
    LATCHKEY_OPS_PORT: '8081',
    LATCHKEY_LOG_LEVEL: 'warn',
    LATCHKEY_SECRET: secret,
    LATCHKEY_TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.1,2001:db8::/32',
    DATABASE_URL: databaseUrl,
  })
  expect(config).toEqual({
    environment: 'production',
    authUrl: 'https://login.example',
    baseUrl: 'https://api.example/partners/service-open-api/',
    host: '0.0.0.0',
    port: 8080,
    opsHost: '10.0.0.5',
    opsPort: 8081,
    logLevel: 'warn',
    dataDir,
    secret,
    secretInDataDir: false,
    databaseUrl,
    trustedProxies: ['10.0.0.0/8', '192.0.2.1', '2001:db8::/32'],
  })
  expect(existsSync(join(dataDir, 'secret'))).toBe(false)
})

describe('the log level', () => {
  test.each(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])('%s', (level) => {
    expect(read({ LATCHKEY_LOG_LEVEL: level }).logLevel).toBe(level)
  })

  test.each(['INFO', 'verbose', '30', 'constructor'])('%s is refused', (level) => {
    expect(faultsOf({ LATCHKEY_LOG_LEVEL: level })).toEqual([
      `LATCHKEY_LOG_LEVEL: must be one of trace, debug, info, warn, error, fatal, silent, not "${level}"`,
    ])
  })
})

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

describe('the next and the previous secret', () => {
  const next = 'the next secret, 32 bytes or more'
  const previous = 'the one before it, 32 bytes or more'
  const names = ['LATCHKEY_SECRET_NEXT', 'LATCHKEY_SECRET_PREVIOUS']

  test('are read beside LATCHKEY_SECRET, each from its variable or its file', () => {
    const file = join(dataDir, 'previous')
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
    const file = join(dataDir, 'next')
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
    expect(readdirSync(dataDir)).toEqual([])
  })
})

describe('the secret in the data directory', () => {
  const write = (current: string, previous: string) => {
    writeFileSync(join(dataDir, 'secret'), current, { mode: 0o600 })
    writeFileSync(join(dataDir, 'secret.previous'), previous, { mode: 0o600 })
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

describe('a value', () => {
  test.each([
    ['LATCHKEY_ENVIRONMENT', 'prod', 'sandbox or production'],
    ['LATCHKEY_ENVIRONMENT', 'Production', 'sandbox or production'],
    ['LATCHKEY_PORT', '0', 'port from 1 to 65535'],
    ['LATCHKEY_PORT', '65536', 'port from 1 to 65535'],
    ['LATCHKEY_PORT', '4e3', 'port from 1 to 65535'],
    ['LATCHKEY_PORT', ' 4000', 'port from 1 to 65535'],
    ['LATCHKEY_OPS_PORT', '-1', 'port from 1 to 65535'],
    ['LATCHKEY_OPS_PORT', '4000', 'must differ from LATCHKEY_PORT'],
    ['LATCHKEY_AUTH_URL', 'login.example', 'must be a URL'],
    [
      'LATCHKEY_AUTH_URL',
      'https://login.example/oauth',
      'origin without a path, such as https://login.example',
    ],
    ['LATCHKEY_AUTH_URL', 'https://login.example?x', 'origin without a path'],
    ['LATCHKEY_AUTH_URL', 'https://Login.example', 'origin without a path, such as https://login.example'],
    ['LATCHKEY_AUTH_URL', 'http://login.example', 'http is for localhost only'],
    ['LATCHKEY_AUTH_URL', 'http://localhost.evil.example', 'http is for localhost only'],
    ['LATCHKEY_AUTH_URL', 'http://192.168.1.7:4000', 'http is for localhost only'],
    ['LATCHKEY_AUTH_URL', 'ftp://localhost', 'must be https'],
    ['LATCHKEY_BASE_URL', 'http://api.example/service-open-api/', 'http is for localhost only'],
    ['LATCHKEY_BASE_URL', 'https://api.example/service-open-api', 'must end in /service-open-api/'],
    ['LATCHKEY_BASE_URL', 'https://api.example/', 'must end in /service-open-api/'],
    ['LATCHKEY_BASE_URL', 'https://api.example/x-service-open-api/', 'must end in /service-open-api/'],
    ['LATCHKEY_BASE_URL', 'https://api.example/service-open-api/?x', 'without query or fragment'],
    ['LATCHKEY_BASE_URL', 'https://api.example/service-open-api/#x', 'without query or fragment'],
    ['LATCHKEY_BASE_URL', 'https://me@api.example/service-open-api/', 'must end in /service-open-api/'],
    ['LATCHKEY_TRUSTED_PROXIES', 'proxy.example', '"proxy.example" is neither'],
    ['LATCHKEY_TRUSTED_PROXIES', '10.0.0.1,10.0.0.0/33', '"10.0.0.0/33" is neither'],
    ['LATCHKEY_TRUSTED_PROXIES', '10.0.0.0/8/8', '"10.0.0.0/8/8" is neither'],
  ])('%s=%s is refused', (name, value, explanation) => {
    const faults = faultsOf({ [name]: value, LATCHKEY_SECRET: secret })
    expect(faults).toEqual([expect.stringContaining(explanation)])
    expect(faults[0]).toMatch(new RegExp(`^${name}: `))
  })

  test.each([
    'http://localhost:4000',
    'http://127.0.0.1:4000',
    'http://[::1]:4000',
    'https://login.example:8443',
  ])('LATCHKEY_AUTH_URL=%s is accepted', (url) => {
    expect(read({ LATCHKEY_AUTH_URL: url, LATCHKEY_SECRET: secret }).authUrl).toBe(url)
  })

  test.each([
    ['mysql://latchkey:hunter2@db.example/latchkey', 'must begin with postgres://'],
    ['hunter2', 'must begin with postgres://'],
    ['postgres://latchkey:hunter2@db.example:99999/latchkey', 'must be a URL'],
    ['postgres://latchkey:hunter2/#@db.example/latchkey', 'must be a URL'],
    [`${databaseUrl}?options=-c%20search_path%3Dapp`, 'must have no options'],
  ])('DATABASE_URL=%s is refused, and the error does not contain the URL', (url, explanation) => {
    const faults = faultsOf({ DATABASE_URL: url, LATCHKEY_SECRET: secret })
    expect(faults).toEqual([expect.stringContaining(explanation)])
    expect(faults[0]).toMatch(/^DATABASE_URL: /)
    expect(faults[0]).not.toMatch(/hunter2|db\.example/)
  })
})

test('all errors are reported at once, without secret values', async () => {
  const env = {
    LATCHKEY_DATA_DIR: dataDir,
    LATCHKEY_ENVIRONMENT: 'staging',
    LATCHKEY_PORT: 'http',
    LATCHKEY_OPS_PORT: '0',
    LATCHKEY_AUTH_URL: 'http://login.example',
    LATCHKEY_BASE_URL: 'https://api.example/',
    LATCHKEY_TRUSTED_PROXIES: 'everyone',
    LATCHKEY_SECRET: 'too-short-to-tell',
    DATABASE_URL: 'mysql://latchkey:hunter2@db.example/latchkey',
  }
  const names = Object.keys(env).filter((name) => name !== 'LATCHKEY_DATA_DIR')
  expect(
    faultsOf(env)
      .map((fault) => fault.split(':')[0])
      .sort(),
  ).toEqual(names.sort())
  const { code, stdout, stderr } = await latchkey(['start'], env)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr.split('\n')[0]).toBe('The configuration has 8 faults:')
  for (const name of names) expect(stderr).toContain(`\n  ${name}: `)
  expect(stderr).not.toMatch(/hunter2|db\.example|too-short-to-tell|\n {4}at /)
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
