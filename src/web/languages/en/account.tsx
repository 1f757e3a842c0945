import type { ComponentChildren } from 'preact'

export const account = {
  account: {
    navigation: 'Your account',
    loggedInAs: (name: ComponentChildren) => <>Signed in as {name}.</>,
    logOut: 'Sign out',
  },
  connections: {
    heading: 'Connected apps',
    intro:
      'These apps can see the households you can see, and their active accounts. When you disconnect an app, it loses access immediately.',
    none: 'No apps are connected. When you connect an app, it appears here.',
    site: 'Site',
    connected: 'Connected',
    lastUsed: 'Last used',
    neverUsed: 'Never',
    reads: 'Read in the last 30 days',
    requests: 'Requests',
    households: 'Households',
    accounts: 'Accounts',
    readsNote: 'Data read twice counts twice. Days are in UTC. New reads appear after a few seconds.',
    disconnect: 'Disconnect',
    disconnectPage: {
      heading: (partner: ComponentChildren) => <>Disconnect {partner}?</>,
      whatEnds: (partner: ComponentChildren) => (
        <>{partner} loses access immediately. It can no longer see your households and accounts.</>
      ),
      whatStays: 'The app keeps the data that it has already read.',
      connectAgain: 'You can connect it again at any time. Start in the app.',
    },
    history: 'Ended connections',
    app: 'App',
    ended: 'Ended',
    endedBy: {
      user: 'by you',
      operator: 'by the operator of this service',
      firm_changed: 'because you moved to another firm',
    },
  },
  sessions: {
    heading: 'Sessions',
    intro: (minutes: number, hours: number) =>
      `You are signed in on these browsers. A session ends after ${minutes} minutes without use, and after ${hours} hours at the latest. If you don’t recognise one, end it and change your password.`,
    browserOn: (browser: string, system: string) => `${browser} on ${system}`,
    unknown: 'Unknown browser',
    current: 'This browser',
    loggedIn: 'Signed in',
    lastActive: 'Last active',
    end: 'End session',
    endOthers: 'End all other sessions',
  },
}
