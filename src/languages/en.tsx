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
      client: 'A part of it is missing or is not what it should be.',
      unavailable: 'The service cannot answer right now; try again in a moment.',
      internal: 'Something failed on our side.',
    },
    tryAgain: 'Try again',
    toConnections: 'Go to your connected apps',
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
    intro:
      'These browsers are logged in to your account. A login ends after 30 minutes without use, and after 8 hours in any case. If you do not recognise one, end it and change your password.',
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
    rule: 'At least 8 characters.',
    change: 'Change password',
    changed:
      'Your password is changed, and you are logged out in every other browser. Your connected apps stay connected.',
    unfit: {
      too_short: 'The new password is too short: it needs at least 8 characters.',
      too_long: 'The new password is too long.',
      more_than_one_line: 'The new password must be on one line.',
    },
    refused: 'The current password is not right.',
    throttled: (minutes: number) =>
      `There were too many attempts. Please try again in ${minutes === 1 ? '1 minute' : `${minutes} minutes`}.`,
  },
}

export type Catalogue = typeof en
