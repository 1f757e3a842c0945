import { describe, expect, test } from 'vitest'
import { databaseFixture } from '../support/fixtures.ts'
import { latchkey, latchkeyOn } from '../support/latchkey.ts'

const db = await databaseFixture()

describe('usage errors', () => {
  test.each([
    ['an unknown command', ['frobnicate'], /unknown command 'frobnicate'/],
    ['a misspelt one', ['patner', 'list'], /Did you mean partner\?/],
    ['an unknown subcommand', ['partner', 'delete', 'x'], /unknown command 'delete'/],
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
  ])('%s: one helpful line, and no database is asked', async (_what, args, line) => {
    const { code, stdout, stderr } = await latchkey(args, { DATABASE_URL: 'postgres://127.0.0.1:1/x' })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(line)
    expect(stderr).not.toMatch(/ECONNREFUSED|LATCHKEY_SECRET|\n {4}at /)
  })

  test.each([[[]], [['partner']]])('%j alone shows the commands there are', async (args) => {
    const { code, stderr } = await latchkeyOn(db.url, args)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^Usage: latchkey .*\n[\s\S]*Commands:/)
  })

  test('--help is no error', async () => {
    const { code, stdout, stderr } = await latchkeyOn(db.url, ['partner', 'create', '--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('--redirect-uri <uri...>')
  })
})
