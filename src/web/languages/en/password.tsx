import type { ComponentChildren } from 'preact'

export const password = {
  password: {
    heading: 'Password',
    intro: 'When you change your password, all other browsers are signed out. Your apps stay connected.',
    current: 'Current password',
    new: 'New password',
    rule: (characters: number) =>
      `At least ${characters} characters. Four words that have nothing to do with each other are easy to remember and hard to guess.`,
    change: 'Change password',
    changed: 'Your password is changed. All other browsers are signed out. Your apps stay connected.',
    /** The user has no password that works here. */
    missing: {
      atProvider:
        'You have no password here. You sign in with the account of your organisation, and change its password there.',
      notSet: 'You have no password here.',
      byMail: (email: ComponentChildren) => (
        <>To sign in with one, set it with a link. We email the link to {email}.</>
      ),
      fromSupport: (support: ComponentChildren) => <>If you want to sign in with one, ask {support}.</>,
      support: 'support',
    },
    rejectedPassword: {
      too_short: (characters: number) =>
        `The new password is too short. Use at least ${characters} characters.`,
      too_long: 'The new password is too long. Use a shorter one.',
      more_than_one_line: 'The new password contains a line break. Remove it.',
      contains_personal:
        'The new password contains your name, your email address or the name of this service. Attackers try these first. Leave them out.',
      common:
        'Many people use the new password, so attackers try it first. Use four words that have nothing to do with each other.',
      pattern:
        'The new password is easy to guess: it repeats itself or follows a pattern, for example a row of keys or a date. Use four words that have nothing to do with each other.',
      few_words:
        'The new password is easy to guess: it consists of a few common words. Add words that have nothing to do with each other.',
    },
    wrongCurrentPassword: 'The current password is wrong.',
  },
}
