export const mails = {
  /** Emails to users. The link of each is on a line after its text. */
  mails: {
    greeting: (name: string) => `Hello ${name},`,
    automatic: (brand: string) => `This email was sent automatically by ${brand}.`,
    support: 'Help and contact',
    connected: {
      subject: (partner: string) => `You connected ${partner}`,
      text: (partner: string, brand: string, at: string) =>
        `You connected ${partner} to your ${brand} account on ${at}. ${partner} can now see the households you can see, and their active accounts.`,
      notYou: 'If that wasn’t you, disconnect the app and change your password.',
      link: 'Connected apps',
    },
    connectionEnds: {
      subject: (partner: string) => `${partner} will lose access soon`,
      text: (partner: string, until: string) =>
        `Your connection with ${partner} ends on ${until}. After that, the app can no longer see your households and accounts.`,
      toRenew:
        'If the app should keep its access, renew the connection on the page below. Otherwise there is nothing to do.',
      link: 'Connected apps',
    },
    leaked: {
      subject: (partner: string) => `A key of ${partner} was found in a public place`,
      text: (partner: string, at: string) =>
        `On ${at} we learned that a key with which ${partner} reads your households and accounts was in a public place. Someone else may have used it.`,
      ended: {
        access: (partner: string) =>
          `We replaced the key. ${partner} remains connected, and you do not need to do anything.`,
        connection: (partner: string) =>
          `We disconnected ${partner} from your account at once. If you want to use it again, connect it again.`,
      },
      link: 'Connected apps',
    },
    passwordChanged: {
      subject: (brand: string) => `Your ${brand} password was changed`,
      text: {
        user: (at: string) => `You changed your password on ${at}. You are signed out of all other browsers.`,
        operator: (at: string) =>
          `The operator of this service set your password on ${at}. You are signed out of all browsers.`,
        link: (at: string) =>
          `Your password was set on ${at}, with the link that we emailed to you. You are signed out of all browsers.`,
      },
      notYou: 'If that wasn’t you, someone may have access to your account. Set a new password now.',
      link: 'Set a new password',
    },
    factorsChanged: {
      subject: (brand: string) => `The sign-in to your ${brand} account was changed`,
      text: {
        passkey_added: (at: string) => `A passkey was added to your account on ${at}.`,
        passkey_removed: (at: string) => `A passkey was removed from your account on ${at}.`,
        totp_added: (at: string) => `An authenticator app was set up for your account on ${at}.`,
        totp_removed: (at: string) => `The authenticator app was removed from your account on ${at}.`,
        reset: (at: string) =>
          `The operator of this service removed your passkeys, your authenticator app and your recovery codes on ${at}. You are signed out of all browsers.`,
      },
      notYou:
        'If you didn’t want this, someone may have access to your account. Check the page below, and change the password that you sign in with.',
      link: 'Security of your account',
    },
    newBrowser: {
      subject: (brand: string) => `New sign-in to your ${brand} account`,
      text: (browser: string, at: string) =>
        `Someone signed in to your account on ${at}, in a browser that we don’t recognise: ${browser}.`,
      notYou:
        'If that was you, there is nothing to do. Otherwise, end that session and change your password.',
      link: 'Your sessions',
    },
    passwordReset: {
      subject: (brand: string) => `Set a new ${brand} password`,
      text: (minutes: number) =>
        `You can set a new password with this link. It works once, in the next ${minutes} minutes.`,
      notYou: 'If you didn’t ask for this, ignore this email. Your password stays the same.',
      link: 'Set a new password',
    },
    noPassword: {
      subject: (brand: string) => `How to sign in to ${brand}`,
      text: (brand: string) =>
        `Someone asked for a new password for your account. You have no password at ${brand}: you sign in with the account of your organisation.`,
      notYou: 'If you didn’t ask for this, ignore this email.',
      link: 'Sign in',
    },
    invitation: {
      subject: (brand: string) => `Set your ${brand} password`,
      text: (brand: string, until: string) =>
        `You can sign in to ${brand} as soon as you have set your password. This link works once, until ${until}.`,
      link: 'Set your password',
    },
    developerInvited: {
      subject: (partner: string) => `You are a developer of ${partner}`,
      text: (partner: string, brand: string, until: string) =>
        `You can work on the application ${partner} at ${brand} as soon as you have set up your account. This link works once, until ${until}.`,
      link: 'Set up your account',
    },
    developerAdded: {
      subject: (partner: string) => `You are a developer of ${partner}`,
      text: (partner: string, brand: string) =>
        `You can now work on the application ${partner} at ${brand}. Sign in with your account.`,
      notYet: 'If you have not set up your account yet, use the link in the invitation that you got before.',
      link: 'Developer pages',
    },
    webhookDisabled: {
      subject: (partner: string) => `Webhooks of ${partner} are disabled`,
      text: {
        failing: (partner: string, host: string) =>
          `For five days, no event for ${partner} could be delivered to ${host}. Therefore, this endpoint is disabled.`,
        gone: (partner: string, host: string) =>
          `${host} answered an event for ${partner} with the status 410 Gone. Therefore, this endpoint is disabled.`,
      },
      toEnable:
        'New events wait for up to 30 days. Repair the receiver, then enable the endpoint on the page below. Events that were given up can be delivered again there.',
      link: 'Webhooks',
    },
  },
}
