import type { PeopleWords } from '../people/words.tsx'

export const consoleWords: PeopleWords = {
  signIn: 'Sign in to the console',
  forWhom: (brand) => `For the people who run ${brand}’s partner API.`,
  lost: (
    <>
      Forgotten your password, or lost your authenticator app? An owner gives you a new link with{' '}
      <code>latchkey operator reset</code>.
    </>
  ),
  setUp: ', you sign in to the console with a password and a code of an authenticator app.',
  linkLife: 'a day',
  newLink: (
    <>
      Otherwise ask an owner for a new link: <code>latchkey operator reset</code>.
    </>
  ),
  accounts: {
    unmatched: 'No operator has this address. An owner adds one: latchkey operator create.',
    taken:
      'The operator with this address signs in with another account there. An owner can reset it: latchkey operator reset.',
    inactive: 'This operator is disabled. Ask an owner.',
    unverified: 'The provider has not confirmed the email address of this account.',
  },
  tooWeak: 'Operators need a stronger sign-in at',
  misconfigured:
    'It and Latchkey are not set up for each other. Run latchkey idp test, which says what to do.',
}
