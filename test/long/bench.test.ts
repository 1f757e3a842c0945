import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const run = promisify(execFile)
const scratch = mkdtempSync(join(tmpdir(), 'latchkey-bench-test-'))

beforeAll(() => run('node_modules/.bin/tsc', ['-p', 'test/bench']))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/** Runs the bench very briefly, so that its figures mean nothing. @returns its standard output */
async function bench(...more: string[]): Promise<string> {
  const tiny = ['--households', '200', '--rounds', '1', '--seconds', '0.03', '--refreshes', '500']
  const environment = { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: scratch }
  const program = 'test/bench/dist/bench/main.js'
  return (await run(process.execPath, [program, ...tiny, ...more], { env: environment })).stdout
}

function found(output: string, pattern: RegExp): (string | undefined)[] {
  return [...output.matchAll(pattern)].map((match) => match[1])
}

test('every bench prints its tables and its goals, and leaves no files or processes', async () => {
  const output = await bench()
  const titles = found(output, /^### (.*)$/gm)
  const goals = found(output, /^\| (\w+)[^|]* \| +(?:at|within)/gm)

  expect(titles).toEqual([
    'A page of 100 for a user who sees the whole firm',
    'A page of 100 for a user who has access to a few hundred households',
    'A page of 100 for a user who has access to half of all households',
    '`name_pattern` of a user who sees the whole firm',
    '`name_pattern` of a user who has access to a few hundred households',
    '`name_pattern` of a user who has access to half of all households',
    'Pages of 6 up to page 32, for a user who sees the whole firm',
    'Pages of 1 up to page 9, names with "lind", for a user who sees the whole firm',
    'Pages of 6 up to page 32, for a user who has access to a few hundred households',
    'Pages of 1 up to page 9, names with "lind", for a user who has access to a few hundred households',
    'Pages of 3 up to page 32, for a user who has access to half of all households',
    'Pages of 1 up to page 4, names with "lind", for a user who has access to half of all households',
    'A crawl of 200 households by a user who sees the whole firm',
    'A crawl of 100 households by a user who has access to half of all households',
    'A page of 1,000 accounts for a user who sees the whole firm',
    'A page of 1,000 accounts for a user who has access to half of all households',
    '200 and 304 for a user who sees the whole firm',
    '200 and 304 for a user who has access to a few hundred households',
    '200 and 304 for a user who has access to half of all households',
    'A page of 100 with and without limits',
    'A page of another partner while one token sends 1000 requests a second',
    'Refresh with rotation',
    'Code exchange',
    'Introspection',
    'Login',
    'The statement of a refresh alone',
    'Import of 706 rows',
    'Memory of an import of 706 rows',
    'Changes of the directory while partners read',
    'The changes themselves',
  ])
  expect(new Set(goals)).toEqual(
    new Set([
      ...[
        'page',
        'search',
        'paging',
        'crawl',
        'accounts',
        'conditional',
        'limits',
        'refresh',
        'exchange',
        'introspection',
        'login',
      ],
      ...['rotation', 'import', 'listing'],
    ]),
  )
  expect(readdirSync(scratch)).toEqual([])
}, 600_000)

test('--against prints what each operation costs in two builds, and leaves no files or processes', async () => {
  const output = await bench('--against', '.')

  expect(output).toMatch(/^Cost is (CPU time|thousands of instructions)/)
  expect(new Set(found(output, /^\| ([a-z]+(?: [a-z]+)?)/gm))).toEqual(
    new Set(['operation', 'page of', 'search', 'refresh', 'refresh with', 'code exchange', 'introspect']),
  )
  expect(readdirSync(scratch)).toEqual([])
}, 600_000)

test('a checkout without a build is refused', async () => {
  await expect(bench('--against', scratch)).rejects.toThrow(`no build in ${scratch}`)
})
