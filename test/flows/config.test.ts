import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { defaultBrand } from '../../src/brand/read-brand.ts'
import { readConfig } from '../../src/config.ts'
import { brandDirectory } from '../support/brand.ts'
import { configFixture } from '../support/config.ts'
import { latchkey } from '../support/latchkey.ts'

const secret = 'a secret of 32 bytes or more, truly'
const databaseUrl = 'postgres://latchkey:hunter2@db.example:5432/latchkey'

const fixture = configFixture()
const { read, faultsOf } = fixture

describe('without any variable', () => {
  test('the defaults are those that docs/operate.md lists', () => {
    expect(read()).toEqual({
      environment: 'sandbox',
      authUrl: 'http://localhost:4000',
      publicUrl: 'http://localhost:4000',
      baseUrl: 'http://localhost:4000/service-open-api/',
      host: '127.0.0.1',
      port: 4000,
      opsHost: '127.0.0.1',
      opsPort: 4001,
      admin: { url: 'http://localhost:4000', networks: [] },
      dataDir: fixture.dataDir,
      secret: expect.stringMatching(/^[A-Za-z0-9_-]{64}$/),
      secretInDataDir: true,
      trustedProxies: [],
      limits: {},
      failuresPerMinute: undefined,
      readLogMonths: 13,
      requestLogDays: 7,
      auditMonths: 0,
      webhookAllow: [],
      goingLive: { sandboxKeys: [] },
      brand: defaultBrand(),
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
    LATCHKEY_LIMIT_REQUESTS_PER_MINUTE: '600',
    LATCHKEY_LIMIT_REQUESTS_PER_USER_PER_MINUTE: '60',
    LATCHKEY_LIMIT_TOKEN_REQUESTS_PER_MINUTE: '120',
    LATCHKEY_LIMIT_REFRESHES_PER_CONNECTION_PER_MINUTE: '10',
    LATCHKEY_LIMIT_EXPENSIVE_READS: '4',
    LATCHKEY_LIMIT_FAILURES_PER_MINUTE: '30',
    LATCHKEY_BRAND_DIR: brandDirectory(),
    LATCHKEY_GRANT_LIFETIME_DAYS: '365',
    LATCHKEY_READ_LOG_MONTHS: '24',
    LATCHKEY_REQUEST_LOG_DAYS: '30',
    LATCHKEY_AUDIT_MONTHS: '36',
    LATCHKEY_SANDBOX_KEYS: `ed25519:${'A'.repeat(43)}, ed25519:${'B'.repeat(43)}`,
    DATABASE_URL: databaseUrl,
  })
  expect(config).toEqual({
    environment: 'production',
    authUrl: 'https://login.example',
    publicUrl: 'https://login.example',
    baseUrl: 'https://api.example/partners/service-open-api/',
    host: '0.0.0.0',
    port: 8080,
    opsHost: '10.0.0.5',
    opsPort: 8081,
    admin: { url: 'https://login.example', networks: [] },
    logLevel: 'warn',
    dataDir: fixture.dataDir,
    secret,
    secretInDataDir: false,
    databaseUrl,
    trustedProxies: ['10.0.0.0/8', '192.0.2.1', '2001:db8::/32'],
    limits: {
      requests_per_minute: 600,
      requests_per_user_per_minute: 60,
      token_requests_per_minute: 120,
      refreshes_per_connection_per_minute: 10,
      expensive_reads: 4,
    },
    grantLifetimeDays: 365,
    readLogMonths: 24,
    requestLogDays: 30,
    auditMonths: 36,
    failuresPerMinute: 30,
    webhookAllow: [],
    goingLive: { sandboxKeys: ['A'.repeat(43), 'B'.repeat(43)] },
    brand: expect.objectContaining({ name: 'Northbridge' }),
  })
  expect(existsSync(join(fixture.dataDir, 'secret'))).toBe(false)
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

describe('a value', () => {
  test.each([
    ['LATCHKEY_ENVIRONMENT', 'prod', 'sandbox or production'],
    ['LATCHKEY_SANDBOX_KEYS', 'ed25519:short', 'must be keys such as ed25519:'],
    ['LATCHKEY_SANDBOX_KEYS', `ed25519:${'A'.repeat(43)}`, 'is for production, and this is a sandbox'],
    ['LATCHKEY_PRODUCTION_URL', 'http://auth.example', 'must be https'],
    ['LATCHKEY_ENVIRONMENT', 'Production', 'sandbox or production'],
    ['LATCHKEY_PORT', '0', 'port from 1 to 65535'],
    ['LATCHKEY_PORT', '65536', 'port from 1 to 65535'],
    ['LATCHKEY_PORT', '4e3', 'port from 1 to 65535'],
    ['LATCHKEY_PORT', ' 4000', 'port from 1 to 65535'],
    ['LATCHKEY_OPS_PORT', '-1', 'port from 1 to 65535'],
    ['LATCHKEY_OPS_PORT', '4000', 'must differ from LATCHKEY_PORT'],
    ['LATCHKEY_GRANT_LIFETIME_DAYS', '0', 'number of days from 1 to 3650'],
    ['LATCHKEY_GRANT_LIFETIME_DAYS', '3651', 'number of days from 1 to 3650'],
    ['LATCHKEY_GRANT_LIFETIME_DAYS', '1.5', 'number of days from 1 to 3650'],
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
    ['LATCHKEY_READ_LOG_MONTHS', '0', 'must be a whole number from 1 to 120'],
    ['LATCHKEY_REQUEST_LOG_DAYS', '7.5', 'must be a whole number from 0 to 90'],
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
    LATCHKEY_DATA_DIR: fixture.dataDir,
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
