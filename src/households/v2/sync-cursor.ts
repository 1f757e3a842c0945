import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { checkId } from '../../directory/values.ts'
import { isMacOf, macOf } from '../../secrets/derived-keys.ts'
import { longestPattern } from '../name-pattern.ts'
import { CanonicalInstant } from './instant.ts'

const Filters = Type.Object({
  /** PostgreSQL's text has no NUL. */
  name_contains: Type.Optional(
    Type.Refine(Type.String({ maxLength: longestPattern }), (text) => !text.includes('\0')),
  ),
  updated_since: Type.Optional(CanonicalInstant),
})
export type Filters = Static<typeof Filters>

/** What is walked, and how far the walk has come. */
const Progress = Type.Object({
  filters: Filters,
  /** The last id sent and, where changes are walked, when it changed. */
  after: Type.Refine(Type.String(), (id) => checkId(id) === null),
  changed_at: Type.Optional(CanonicalInstant),
  /** What the first page was as of. */
  as_of: CanonicalInstant,
  /** Households sent and told as removed so far, and the state of the digest. */
  count: Type.Integer(),
  removed: Type.Integer(),
  digest: Type.String(),
})
export type Progress = Static<typeof Progress>

const schema = Compile(Progress)

/** Opaque, and good for this user alone, whose id is a secret of the platform's: it is in the MAC only. */
export function writeCursor(key: Buffer, userId: string, progress: Progress): string {
  const content = Buffer.from(JSON.stringify(progress)).toString('base64url')
  return `${content}.${macOf(key, ...partsOf(userId, content))}`
}

/**
 * What the cursor says. Whose it has to be is known when the call is authenticated, by the same statement that reads the
 * page; until `isGenuine`, it may be anybody's invention, and is held to what that statement takes.
 */
export function readCursor(cursor: string): Progress | undefined {
  try {
    const [content = ''] = cursor.split('.')
    const progress: unknown = JSON.parse(Buffer.from(content, 'base64url').toString())
    return schema.Check(progress) ? progress : undefined
  } catch {
    return undefined
  }
}

/** Whether the cursor, character for character, was made here and for this user. */
export function isGenuine(key: Buffer, userId: string, cursor: string): boolean {
  const [content = '', tag = '', ...rest] = cursor.split('.')
  return rest.length === 0 && isMacOf(tag, key, ...partsOf(userId, content))
}

/** The first part keeps it apart from the cursors of the first version, which are made under the same key. */
function partsOf(userId: string, content: string): string[] {
  return ['walk', userId, content]
}
