import type { ComponentChildren } from 'preact'
import type { Language } from './languages/languages.ts'
import { Amount } from './parts.tsx'

/** A text with a number, in the forms that its language has. */
export type Counted = Record<'one' | 'other', (amount: ComponentChildren) => ComponentChildren>

/** The text in the form for `of`, which is 0 or a positive integer. */
export function Count({ of, text, language }: { of: number; text: Counted; language: Language }) {
  const form = new Intl.PluralRules(language).select(of) === 'one' ? text.one : text.other
  return <>{form(<Amount of={of} language={language} />)}</>
}
