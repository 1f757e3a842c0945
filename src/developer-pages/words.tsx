import type { PeopleWords } from '../people/words.tsx'

/** The texts of the pages that developers share with operators, such as the login. */
export const developerWords: PeopleWords = {
  signIn: 'Sign in to the developer pages',
  forWhom: (brand) => `For the people who build applications on ${brand}’s partner API.`,
  lost: 'Forgotten your password, or lost your authenticator app? The operator of this API gives you a new link.',
  setUp: ', you sign in to the developer pages with a password and a code of an authenticator app.',
  linkLife: 'a week',
  newLink: 'Otherwise ask the person who invited you for a new invitation.',
  accounts: {
    unmatched: 'No developer has this address. Ask an administrator of your application to invite you.',
    taken:
      'The developer with this address signs in with another account there. The operator of this API can reset it.',
    inactive: 'This account is disabled. Ask the operator of this API.',
    unverified: 'The provider has not confirmed the email address of this account.',
  },
  tooWeak: 'Developers need a stronger sign-in at',
  misconfigured: 'It and Latchkey are not set up for each other. The operator of this API can repair it.',
}
