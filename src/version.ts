import { readFileSync } from 'node:fs'
import Type, { Parse } from './typebox.ts'

/** The version of this program. */
export function version(): string {
  const file = new URL('../package.json', import.meta.url)
  const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'))
  return Parse(Type.Object({ version: Type.String() }), parsed).version
}
