import type { ComponentChildren } from 'preact'

export const recovery = {
  /** Setting a password with a link from an email. */
  recovery: {
    forgotten: 'Forgot your password?',
    support: 'Trouble signing in? Contact support',
    request: {
      intro: 'Enter your email address. We will email you a link to set a new password.',
      submit: 'Email me a link',
    },
    requested: {
      heading: 'Check your email',
      text: (minutes: number) =>
        `If there is an account with this address, we have sent an email to it. Its link works once, in the next ${minutes} minutes.`,
      nothing:
        'No email? Look in your spam folder, and check whether the address is right. If you asked more than once, only the newest link works.',
    },
    unavailable: 'This service can’t send emails. Ask its support for a new password.',
    backToLogin: 'Back to sign-in',
    choose: {
      heading: 'Set your password',
      account: (email: ComponentChildren) => <>For the account {email}.</>,
      submit: 'Set password',
      otherLink:
        'Your password was not set, because another link was opened in this browser in the meantime. Check that this is the right account, and enter the password again.',
    },
    done: {
      heading: 'Your password is set',
      text: 'Your other sessions have ended. You can now sign in with the new password.',
      signIn: 'Sign in',
    },
    dead: {
      heading: 'This link no longer works',
      text: 'A link works only once and for a limited time. A newer link or a changed password ends it as well.',
      again: 'Get a new link',
    },
  },
}
