import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

type Threat = { number: number; sources: string[]; notYet: boolean; tests: string[] }

/** The rows of the page: number, threat, defence, test. */
const threats = readFileSync('docs/threats.md', 'utf8')
  .split('\n')
  .flatMap((line): Threat[] => {
    const [number = '', , sources = '', tests = ''] = line.split('|').slice(1)
    if (!/^ \d+ $/.test(number)) return []
    const notYet = tests.includes('not yet')
    return [{ number: Number(number), sources: paths('src', sources), notYet, tests: paths('test', tests) }]
  })

function paths(folder: string, text: string): string[] {
  return [...text.matchAll(/`([\w./-]+\.tsx?)`/g)].map(([, path]) => `${folder}/${path}`)
}

const testFiles = ['attacks', 'browser', 'crash', 'embedded', 'flows', 'long'].flatMap((folder) =>
  readdirSync(`test/${folder}`).map((name) => `test/${folder}/${name}`),
)

/** The numbers before the titles of a file's tests: `13, 38: 1 MB is refused`. */
function numbersIn(file: string): number[] {
  const title = /(?:^\s*|\()['"`](\d+(?:, \d+)*)(?: \(\w+\))?: /gm
  return [...readFileSync(file, 'utf8').matchAll(title)].flatMap(([, numbers = '']) =>
    numbers.split(', ').map(Number),
  )
}

test('threats are numbered without gaps or duplicates', () => {
  const numbers = threats.map(({ number }) => number).sort((a, b) => a - b)
  expect(numbers).toEqual(numbers.map((_, index) => index + 1))
  expect(numbers.length).toBeGreaterThan(60)
})

test('every numbered test belongs to a threat', () => {
  const known = new Set(threats.map(({ number }) => number))
  const unknown = testFiles.flatMap((file) => numbersIn(file).filter((number) => !known.has(number)))
  expect(unknown).toEqual([])
})

test('every threat names a test with its number, unless it says `not yet`', () => {
  const missing = threats
    .filter(({ notYet }) => !notYet)
    .flatMap(({ number, tests }) => {
      if (tests.length === 0) return [`${number}: no test is named`]
      return tests
        .filter((file) => !existsSync(file) || !numbersIn(file).includes(number))
        .map((file) => `${number}: not in ${file}`)
    })
  expect(missing).toEqual([])
})

test('no threat that has a test says `not yet`', () => {
  const tested = threats
    .filter(({ notYet }) => notYet)
    .flatMap(({ number }) =>
      testFiles.filter((file) => numbersIn(file).includes(number)).map((file) => `${number}: ${file}`),
    )
  expect(tested).toEqual([])
})

test('the files that defend against a threat exist', () => {
  expect(threats.flatMap(({ sources }) => sources).filter((file) => !existsSync(file))).toEqual([])
})
