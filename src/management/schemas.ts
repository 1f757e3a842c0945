import Type from '../typebox.ts'

// Schemas that the documents of several operations share. The server writes these values, and a Date becomes this text.

export const instant = (description: string) =>
  Type.Unsafe<Date>({ type: 'string', format: 'date-time', description })

export const nullableInstant = (description: string) =>
  Type.Unsafe<Date | null>({ type: ['string', 'null'], format: 'date-time', description })

export const nullableText = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description })

export const oneOf = <const T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], description })

export const count = (description: string) => Type.Integer({ minimum: 0, description })
