import type { ComponentChildren } from 'preact'

/** The texts in which the pages of operators and those of developers differ. */
export type PeopleWords = {
  /** The title of the login page. */
  signIn: string
  forWhom(brand: string): string
  /** For someone who has lost the password or the second factor. */
  lost: ComponentChildren
  /** On the page behind a setup link, after the address. */
  setUp: string
  /** The age of a link that no longer works. */
  linkLife: string
  /** For someone whose link no longer works, and who has not set up the account. */
  newLink: ComponentChildren
  /** Why an account at a provider does not log anyone in. */
  accounts: Record<'unmatched' | 'taken' | 'inactive' | 'unverified', string>
  /** Before the name of the provider, whose login was too weak. */
  tooWeak: string
  /** After a fault of the settings of a provider. */
  misconfigured: string
}
