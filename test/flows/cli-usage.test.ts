import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { databaseFixture } from '../support/fixtures.ts'
import { errorOf, hostedLatchkey, latchkey, latchkeyOn } from '../support/latchkey.ts'

const db = await databaseFixture()

describe('usage errors', () => {
  test.each([
    ['an unknown command', ['frobnicate'], /unknown command 'frobnicate'/],
    ['a misspelt command', ['patner', 'list'], /Did you mean partner\?/],
    ['an unknown subcommand', ['partner', 'erase', 'x'], /unknown command 'erase'/],
    ['an unknown option', ['partner', 'list', '--jsno'], /Did you mean --json\?/],
    [
      'no name',
      ['partner', 'create', '--redirect-uri', 'https://partner.example/callback'],
      /required option '--name <name>' not specified/,
    ],
    [
      'no redirect URI',
      ['partner', 'create', '--name', 'x'],
      /required option '--redirect-uri <uri...>' not specified/,
    ],
    ['no client_id', ['partner', 'show'], /missing required argument 'client_id'/],
  ])('%s: prints one helpful line and does not connect to the database', async (_case, args, line) => {
    const { code, stdout, stderr } = await hostedLatchkey(args, { DATABASE_URL: 'postgres://127.0.0.1:1/x' })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(line)
    expect(stderr).not.toMatch(/ECONNREFUSED|LATCHKEY_SECRET|\n {4}at /)
  })

  test.each([[[]], [['partner']]])('%j alone prints the list of commands', async (args) => {
    const { code, stderr } = await latchkeyOn(db.url, args)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^Usage: latchkey .*\n[\s\S]*Commands:/)
  })

  test('--version prints the version of the package', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    const { code, stdout, stderr } = await latchkey(['--version'], {})
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  })

  test('--help exits with 0 and prints to standard output', async () => {
    const { code, stdout, stderr } = await latchkeyOn(db.url, ['partner', 'create', '--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('--redirect-uri <uri...>')
  })
})

describe('with --json, an error is one line of JSON on standard error, and standard output is empty', () => {
  const production = {
    LATCHKEY_ENVIRONMENT: 'production',
    LATCHKEY_SECRET: 'a secret of 32 bytes, or even more',
  }
  test.each<[string, string[], Record<string, string>, RegExp]>([
    ['usage', ['frobnicate'], {}, /^unknown command 'frobnicate'$/],
    ['usage', ['partner', 'show'], {}, /^missing required argument 'client_id'$/],
    ['usage', ['partner'], {}, /unknown option '--json'/],
    ['usage', ['import', 'x', '--at-most', 'y'], {}, /argument 'y' is invalid\. It must be a number/],
    ['configuration', ['partner', 'list'], { LATCHKEY_PORT: 'x' }, /LATCHKEY_PORT: must be a port/],
    ['database_unavailable', ['user', 'list'], { DATABASE_URL: 'postgres://127.0.0.1:1/x' }, /ECONNREFUSED/],
    ['not_found', ['user', 'show', 'nobody'], {}, /^There is no user "nobody"\.$/],
    ['not_found', ['partner', 'show', 'test_nobody'], {}, /^There is no partner test_nobody/],
    ['not_found', ['grant', 'revoke', '1'], {}, /^There is no live grant 1\.$/],
    ['refused', ['import', '/nowhere'], {}, /cannot be read as a directory/],
    ['wrong_environment', ['partner', 'list'], production, /^This database belongs to sandbox/],
  ])('%s: %j', async (code, args, env, message) => {
    const sandbox = { DATABASE_URL: db.url, LATCHKEY_SECRET: 'a secret of 32 bytes, or even more' }
    await hostedLatchkey(['migrate'], sandbox)
    const finished = await hostedLatchkey([...args, '--json'], { ...sandbox, ...env })
    expect(finished).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^.*\n$/) })
    expect(errorOf(finished)).toEqual({ code, message: expect.stringMatching(message) })
  })
})
