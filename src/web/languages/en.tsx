import type { ComponentChildren } from 'preact'

/** What our pages say, and the shape of every other language's catalogue: a text that is missing there does not compile. */
export const en = {
  frame: {
    sandbox: 'Sandbox',
    quoteNumber: 'Should you ask for help, quote this number:',
  },
  errors: {
    foreignForm: {
      heading: 'This form came from another site',
      text: 'For your protection nothing was done. If it was you who pressed the button, please try again.',
    },
    staleForm: {
      heading: 'This page is out of date',
      text: 'This page was open for too long, or was opened in another login. For your protection nothing was done; please try again.',
    },
    noSuchPage: {
      heading: 'There is no such page',
      text: 'The address may be mistyped, or the page may have moved.',
    },
    unreadable: 'This request cannot be read',
    failed: 'This did not work',
    /** By what the fault is: ours, passing, or the request's. */
    faults: {
      client:
        'Go back to the page that you came from, and try again. Should it happen again, this is the reason:',
      unavailable: 'The service cannot answer right now; try again in a moment.',
      internal: 'Something failed on our side.',
    },
    tryAgain: 'Try again',
    toConnections: 'Go to your connected apps',
  },
  authorize: {
    heading: 'This request cannot go on',
    untrusted:
      'The application that sent you here made a request that cannot be trusted, so you were not sent back to it.',
    reasons: {
      repeated: (parameter: string) => `The parameter ${parameter} was sent more than once.`,
      missing: (parameter: string) => `The parameter ${parameter} is missing.`,
      foreignEnvironment: (theirs: string, ours: string) =>
        `The client_id belongs to ${theirs}, and this is ${ours}.`,
      unknownClient: 'The client_id is not known here.',
      suspended: 'This application is suspended.',
      unregisteredRedirectUri:
        'The redirect_uri is not one that is registered for this application; it must match exactly.',
    },
  },
  login: {
    heading: 'Log in',
    purpose: (partner: ComponentChildren) => (
      <>Log in to decide whether {partner} may read your households.</>
    ),
    email: 'Email address',
    password: 'Password',
    submit: 'Log in',
    passwordStays: 'Your password stays here: no application ever receives it.',
    refused: 'The email address or the password is not right.',
    throttled: (minutes: number) =>
      `There were too many attempts. Please try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
    busy: 'Very many people are logging in. Please try again in a few seconds.',
  },
  connect: {
    heading: (partner: ComponentChildren) => <>Connect {partner}?</>,
    who: {
      term: 'Who asks',
      text: (partner: ComponentChildren, host: ComponentChildren) => (
        <>
          {partner}, an application at {host}. You will return there.
        </>
      ),
    },
    what: {
      term: 'What it may read',
      text: 'The households that you can see, and their active accounts. It reads only: it cannot change or move anything, and it does not receive your password.',
    },
    howLong: {
      term: 'For how long',
      text: 'Until you end it. An application that has not used it for 30 days must send you here again.',
    },
    howToEnd: {
      term: 'How to end it',
      text: (connections: string) => (
        <>
          At any time, at once, under <a href={connections}>your connected apps</a>.
        </>
      ),
    },
    cancel: 'Cancel',
    submit: 'Connect',
    notYou: 'Not you? Log in as someone else',
    suspended: {
      heading: 'This application is suspended',
      text: 'It cannot be connected for now.',
    },
    notYours: {
      heading: 'This page is not yours',
      text: 'This page was made for another login than the one you have now. Nothing was connected.',
    },
    used: {
      heading: 'This page was already used',
      text: 'You pressed Connect on it before, and it counts only once. To connect again, start again.',
    },
    expired: {
      heading: 'This page is out of date',
      text: 'It was open for more than ten minutes. Nothing was connected.',
    },
    incomplete: {
      heading: 'This page is not complete',
      text: 'Go back to the application that you want to connect, and start again from there.',
    },
    startAgain: 'Start again',
  },
  logout: {
    heading: 'Log out?',
    who: (partner: ComponentChildren) => <>{partner} asks you to log out here.</>,
    appsStay: 'Your connected apps stay connected: logging out ends only the login in this browser.',
    stay: 'Stay logged in',
    done: {
      heading: 'You are logged out',
      text: 'You can close this page.',
    },
    refused: {
      heading: 'You were not logged out',
      text: 'The application that sent you here made a request that cannot be trusted, so nothing was done and you were not sent back to it. You can log out under your connected apps.',
    },
  },
  account: {
    navigation: 'Your account',
    loggedInAs: (name: ComponentChildren) => <>You are logged in as {name}.</>,
    logOut: 'Log out',
  },
  connections: {
    heading: 'Connected apps',
    intro:
      'Each application below may read the households that you can see, and their active accounts, until you disconnect it. Disconnecting works at once.',
    none: 'No application is connected.',
    site: 'Site',
    connected: 'Connected',
    lastUsed: 'Last used',
    neverUsed: 'Not yet',
    reads: 'Read in the last 30 days',
    requests: 'Requests',
    households: 'Households',
    accounts: 'Accounts',
    readsNote:
      'What is read again counts again. Days are counted in UTC, and the newest reads appear after a few seconds.',
    disconnect: 'Disconnect',
    history: 'Ended connections',
    application: 'Application',
    ended: 'Ended',
    endedBy: { user: 'by you', operator: 'by the operator of this service' },
  },
  sessions: {
    heading: 'Sessions',
    intro: (minutes: number, hours: number) =>
      `These browsers are logged in to your account. A login ends after ${minutes} minutes without use, and after ${hours} hours in any case. If you do not recognise one, end it and change your password.`,
    browserOn: (browser: string, system: string) => `${browser} on ${system}`,
    unknown: 'Unknown browser',
    current: 'This browser',
    loggedIn: 'Logged in',
    lastActive: 'Last active',
    end: 'End session',
    endOthers: 'End all other sessions',
  },
  password: {
    heading: 'Password',
    intro:
      'A new password logs you out in every other browser. Connected apps stay connected: they never receive your password.',
    current: 'Current password',
    next: 'New password',
    rule: (characters: number) => `At least ${characters} characters.`,
    change: 'Change password',
    changed:
      'Your password is changed, and you are logged out in every other browser. Your connected apps stay connected.',
    unfit: {
      too_short: (characters: number) =>
        `The new password is too short: it needs at least ${characters} characters.`,
      too_long: 'The new password is too long.',
      more_than_one_line: 'The new password must be on one line.',
    },
    refused: 'The current password is not right.',
  },
}

export type Catalogue = typeof en
