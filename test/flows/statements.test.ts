import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const src = fileURLToPath(new URL('../../src', import.meta.url))

type Found = { name: string; text: string; file: string }

/** Every exported statement, sorted by name. Importing a file only defines what is in it. */
async function statements(): Promise<Found[]> {
  const found: Found[] = []
  for (const file of readdirSync(src, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!/\.tsx?$/.test(file) || file === join('database', 'database.ts')) continue
    const source = readFileSync(join(src, file), 'utf8')
    if (!/\bstatement\(/.test(source)) continue
    const exported: Record<string, unknown> = await import(join(src, file))
    const here = Object.values(exported).flatMap((value) => statementsIn(value))
    const names = here.map(({ name }) => name)
    for (const [, name = ''] of source.matchAll(/\bstatement\(\s*'(\w+)'/g))
      expect(names, `${file} must export the statement ${name}`).toContain(name)
    found.push(...here.map((statement) => ({ ...statement, file: `src/${file.replaceAll('\\', '/')}` })))
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The statements that an export is, or has in it. */
function statementsIn(value: unknown): { name: string; text: string }[] {
  if (typeof value !== 'object' || value === null) return []
  if (isStatement(value)) return [value]
  return Object.values(value).filter(
    (inner) => typeof inner === 'object' && inner !== null && isStatement(inner),
  )
}

function isStatement(value: object): value is { name: string; text: string } {
  return 'name' in value && 'text' in value && 'parse' in value
}

/** The lines as they were written, each indented by the parentheses that are open. */
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

test('docs/sql/statements.sql has every statement as PostgreSQL gets it; if not: npm run sql', async () => {
  const all = await statements()
  expect(new Set(all.map(({ name }) => name)).size, 'the names are unique').toBe(all.length)
  const header = '-- Every statement as PostgreSQL gets it. Written by `npm run sql`; do not edit.\n'
  const texts = all.map(({ name, text, file }) => `\n-- ${name} (${file})\n${formatted(text)};\n`)
  await expect(header + texts.join('')).toMatchFileSnapshot('../../docs/sql/statements.sql')
})
