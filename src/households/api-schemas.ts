import Type, { type TSchema } from 'typebox'
import { Problem } from '../http/problem.ts'

export const Household = Type.Object({
  id: Type.String({ description: 'Identifier of the household.' }),
  name: Type.Optional(Type.String({ description: 'Display name; absent where the household has none.' })),
})

export const security = [{ bearer: [] }]

/** The answers of an operation that can also end in these problems. */
export function answers(ok: TSchema, ...problems: number[]): Record<number, unknown> {
  const problem = { content: { 'application/problem+json': { schema: Problem } } }
  return { 200: ok, ...Object.fromEntries(problems.map((status) => [status, problem])) }
}
