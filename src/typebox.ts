// All of TypeBox that `src/` uses. TypeBox has 700 files, which take a third of a second to load whenever a command starts.
// Therefore the build merges this module and TypeBox into one file (scripts/run.mjs).
import Type, { type TSchema } from 'typebox'

export { default, type Static, type TObject, type TSchema } from 'typebox'
export { Compile } from 'typebox/compile'
export { IsDate, IsDateTime } from 'typebox/format'
export { Parse } from 'typebox/value'

/** A value that may be null. */
export const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
