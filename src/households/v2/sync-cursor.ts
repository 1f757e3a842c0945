import { checkId } from '../../directory/values.ts'
import { acceptedKeys, isMacOfAny, macOf, type SecretKeys } from '../../secrets/derived-keys.ts'
import Type, { Compile, type Static } from '../../typebox.ts'
import { longestPattern } from '../name-pattern.ts'
import { CanonicalInstant } from './instant.ts'

const Filters = Type.Object({
  /** A PostgreSQL `text` cannot contain NUL. */
  name_contains: Type.Optional(
    Type.Refine(Type.String({ maxLength: longestPattern }), (text) => !text.includes('\0')),
  ),
  updated_since: Type.Optional(CanonicalInstant),
})
export type Filters = Static<typeof Filters>

const Resource = Type.Union([Type.Literal('households'), Type.Literal('accounts')])
export type Resource = Static<typeof Resource>

const Id = Type.Refine(Type.String(), (id) => checkId(id) === null)

/**
 * The last entry sent: its id and, if the sync reads changes, the time of its change. In a listing of accounts also its
 * household.
 */
const Place = { after: Id, household_id: Type.Optional(Id), changed_at: Type.Optional(CanonicalInstant) }
const PlaceObject = Type.Object(Place)
export type Place = Static<typeof PlaceObject>

/** What a sync reads, its filters, and how far it has come. */
const Progress = Type.Object({
  resource: Resource,
  filters: Filters,
  ...Place,
  /** The `as_of` of the first page. */
  as_of: CanonicalInstant,
  /** Entries sent so far, ids sent as removed so far, and the state of the digest. */
  count: Type.Integer(),
  removed: Type.Integer(),
  digest: Type.String(),
})
export type Progress = Static<typeof Progress>

const schema = Compile(Progress)

/** Opaque, and valid only for this user. Partners must not learn the user's id, so only the MAC depends on it. */
export function writeCursor(keys: SecretKeys, userId: string, progress: Progress): string {
  const content = Buffer.from(JSON.stringify(progress)).toString('base64url')
  return `${content}.${macOf(keys.current.cursor, ...macParts(userId, content))}`
}

/**
 * Parses a cursor without checking its MAC. The check needs the user, who is known only after the statement that both
 * authenticates the call and reads the page. Until `isGenuine` the cursor is untrusted, and the schema makes sure that the
 * statement accepts its values.
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

/** Whether the cursor was issued, character for character, with an accepted secret to this user. */
export function isGenuine(keys: SecretKeys, userId: string, cursor: string): boolean {
  const [content = '', tag = '', ...rest] = cursor.split('.')
  return rest.length === 0 && isMacOfAny(tag, acceptedKeys(keys, 'cursor'), ...macParts(userId, content))
}

/** `walk` separates these cursors from those of API v1, which use the same key. Another word would invalidate all cursors. */
function macParts(userId: string, content: string): string[] {
  return ['walk', userId, content]
}
