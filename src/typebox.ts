// All of TypeBox that `src/` uses. TypeBox has 700 files, which take a third of a second to load whenever a command starts.
// Therefore the build merges this module and TypeBox into one file (scripts/run.mjs).
import Type, { type Static, type TSchema } from 'typebox'
import { Compile as compileNow } from 'typebox/compile'

export { default, type Static, type TObject, type TSchema, type TString } from 'typebox'
export { IsDate, IsDateTime } from 'typebox/format'
export { Parse } from 'typebox/value'

/** A value that may be null. */
export const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

type Validator<T extends TSchema> = ReturnType<typeof compileNow<T>>

/** A schema that is compiled when it is first used. Compiling all of them would take a sixth of a second of each start. */
class CompiledSchema<T extends TSchema> {
  readonly #schema: T
  #validator: Validator<T> | undefined

  constructor(schema: T) {
    this.#schema = schema
  }

  Check(value: unknown): value is Static<T> {
    return this.#compiled().Check(value)
  }

  /** @throws if the value does not match the schema */
  Parse(value: unknown): Static<T> {
    return this.#compiled().Parse(value)
  }

  Errors(value: unknown): ReturnType<Validator<T>['Errors']> {
    return this.#compiled().Errors(value)
  }

  #compiled(): Validator<T> {
    this.#validator ??= compileNow(this.#schema)
    return this.#validator
  }
}

export const Compile = <T extends TSchema>(schema: T): CompiledSchema<T> => new CompiledSchema(schema)
