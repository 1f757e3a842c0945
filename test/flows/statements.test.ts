import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { anyFirm, recordDemo } from '../../src/demo/demo.ts'
import { findSubject } from '../../src/resource/userinfo.routes.ts'
import { revokeAccessTokens, revokeConnection } from '../../src/tokens/revoke.ts'

const src = fileURLToPath(new URL('../../src', import.meta.url))

type Text = { name: string; text: string }

/** Statements that are defined next to the code that runs them. */
const outsideOfSqlFiles: Text[] = [anyFirm, findSubject, recordDemo, revokeAccessTokens, revokeConnection]

/** Every statement, sorted by name. Importing a file has no side effects. */
async function statements(): Promise<Text[]> {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file))
  const found = [...outsideOfSqlFiles]
  for (const file of files.filter((file) => file.endsWith('.sql.ts'))) {
    const exported: Record<string, unknown> = await import(join(src, file))
    found.push(...Object.values(exported).flatMap(statementsIn))
  }
  const names = found.map(({ name }) => name)
  for (const file of files) {
    for (const [, name = ''] of readFileSync(join(src, file), 'utf8').matchAll(/\bstatement\(\s*'(\w+)'/g))
      expect(
        names,
        `${file}: the statement ${name} is exported, by an .sql.ts file or to this test`,
      ).toContain(name)
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The export itself if it is a statement, or the statements in it. */
function statementsIn(value: unknown): Text[] {
  if (typeof value !== 'object' || value === null) return []
  if (isStatement(value)) return [value]
  return Object.values(value).flatMap(statementsIn)
}

function isStatement(value: object): value is Text {
  return 'name' in value && 'text' in value && 'parse' in value
}

/** The lines as they were written, each indented by the number of open parentheses. */
function formatted(text: string): string {
  let depth = 0
  const lines = text.split('\n').map((line) => line.trim())
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const parentheses = line.replace(/'[^']*'/g, '').replace(/[^()]/g, '')
      const closing = /^\)*/.exec(line)?.[0].length ?? 0
      const indented = '  '.repeat(depth - closing) + line
      depth += 2 * parentheses.replaceAll(')', '').length - parentheses.length
      return indented
    })
    .join('\n')
}

test('docs/sql/statements.sql has every statement as PostgreSQL gets it (npm run sql updates it)', async () => {
  const all = await statements()
  expect(new Set(all.map(({ name }) => name)).size, 'the names are unique').toBe(all.length)
  const header = '-- Every statement as PostgreSQL gets it. Written by `npm run sql`; do not edit.\n'
  const texts = all.map(({ name, text }) => `\n-- ${name}\n${formatted(text)};\n`)
  await expect(header + texts.join('')).toMatchFileSnapshot('../../docs/sql/statements.sql')
})
