import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'latchkey-terms-'))
  mkdirSync(join(root, 'docs'))
  cpSync('docs/style.md', join(root, 'docs/style.md'))
})
afterEach(() => rmSync(root, { recursive: true }))

function write(path: string, ...lines: string[]): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), lines.join('\n'))
}

function checkTerms() {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/check-terms.mjs', root], {
    encoding: 'utf8',
  })
  return { status, lines: stdout.trimEnd().split('\n').slice(0, -1), stderr }
}

describe('terms of docs/style.md', () => {
  test('a project that uses the preferred terms passes', () => {
    write('src/request.ts', '/** Reads the request. */', "export const request = 'an authorization request'")
    write('docs/page.md', 'The server refuses the request.')
    expect(checkTerms()).toEqual({ status: 0, lines: [], stderr: '' })
  })

  test('an identifier is reported with file, line and preferred term, also as a word of a longer identifier', () => {
    write(
      'src/login.ts',
      'type Distrust = string',
      'export function guess(client_standing: Distrust) {}',
      'export const outstanding = 1',
    )
    expect(checkTerms()).toMatchObject({
      status: 1,
      lines: [
        'src/login.ts:1: "Distrust": use UntrustedRequestReason',
        'src/login.ts:2: "guess": use checkPassword',
        'src/login.ts:2: "client_standing": use clientAuthentication',
        'src/login.ts:2: "Distrust": use UntrustedRequestReason',
      ],
    })
  })

  test('a field that the API names is not checked as an identifier', () => {
    write(
      'src/sync.ts',
      'export const Page = { receipt: 1, nested: { receipt: 2 } }',
      'export const count = Page.receipt',
      'const receipt = 3',
      'export const receiptOf = receipt',
    )
    expect(checkTerms().lines.map((line) => line.split(': "')[0])).toEqual([
      'src/sync.ts:3',
      'src/sync.ts:4',
      'src/sync.ts:4',
    ])
  })

  test('a phrase is found in documentation, comments, strings, templates and page texts, also across lines', () => {
    write('README.md', 'A page that', '', 'Whoever reads this.')
    write('docs/page.md', 'It says so at the', 'wrong door.')
    write(
      'src/page.tsx',
      '/**',
      ' * Values have no',
      ' * business here.',
      ' */',
      "export const a = 'The form is for want ' +",
      "  'of a token'",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
      'export const b = `${a} whatever it is`',
      'export const c = <p>Should you need help</p>',
    )
    expect(checkTerms()).toMatchObject({
      status: 1,
      lines: [
        'src/page.tsx:2: "no business"',
        'src/page.tsx:5: "for want of"',
        'src/page.tsx:7: "whatever"',
        'src/page.tsx:8: "Should you"',
        'docs/page.md:1: "at the wrong door"',
        'README.md:3: "Whoever"',
      ].map((line) => expect.stringContaining(line.replace('no business', 'have no business'))),
    })
  })

  test('code is not text: values, code spans, regular expressions and the contract', () => {
    write(
      'src/user.ts',
      "export const user = 'nobody' // `nobody` is a Unix user",
      'export const r = /\'nobody"/',
    )
    write('src/after.ts', 'export const division = 4 / 2 / 1', '// nobody')
    write('src/ticks.ts', 'export const tick = /`/', 'export const asked = 1', 'export const ticks = /`+/')
    write('docs/page.md', 'Runs as `nobody`.', '```', 'su nobody', '```')
    write('docs/contract.md', 'nobody')
    expect(checkTerms().lines).toEqual([
      expect.stringContaining('src/after.ts:2: "nobody"'),
      expect.stringContaining('src/ticks.ts:2: "asked"'),
    ])
  })

  test('an invalid row is an error that names its line', () => {
    write('docs/style.md', '| Avoid | Use | Where |', '|---|---|---|', '| `asked` | request | somewhere |')
    expect(checkTerms()).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('docs/style.md:3: invalid row'),
    })
  })
})
