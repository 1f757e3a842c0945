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
    none: 'No apps are connected.',
    howToConnect:
      'To connect an app, open the app and connect it from there. It sends you here, you decide, and then this page shows what it reads.',
    connected: 'Connected',
    lastUsed: 'Last used',
    neverUsed: 'Never',
    ends: 'Ends',
    noEnd: 'When you disconnect it',
    endsUnused: (at: ComponentChildren) => <>or {at} if unused until then</>,
    noAccess:
      'The app can’t read anything at the moment: it has not used the connection for 30 days, or has ended it. To give it access again, connect it in the app.',
    renew: {
      one: (amount: ComponentChildren) => <>Renew for {amount} day</>,
      other: (amount: ComponentChildren) => <>Renew for {amount} days</>,
    },
    endsSoon: 'This connection ends soon. If the app should keep its access, renew it.',
    renewWithoutEnd: 'Renew without an end',
    reads: (days: ComponentChildren) => <>Read in the last {days} days</>,
    requests: 'Requests',
    households: 'Households',
    accounts: 'Accounts',
    chart: (day: string, amount: string) => `Most households and accounts in a day: ${amount} on ${day}`,
    today: 'Today',
    asTable: 'Show as a table',
    day: 'Day',
    readsNote: 'Data read twice counts twice. Days are in UTC. New reads appear after a few seconds.',
    disconnect: 'Disconnect',
    householdReads: {
      link: 'Which households it has read',
      heading: (partner: ComponentChildren) => <>Households that {partner} has read</>,
      none: 'It has not read any households in this time.',
      household: 'Household',
      lastRead: 'Last read',
      times: 'Times read',
      hidden: 'You can’t see it any longer',
      note: 'A household counts each time the app gets it, alone or with its accounts. Days are in UTC. New reads appear after a few seconds.',
      back: 'Back to the connected apps',
    },
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
      expiry: 'because its time was over',
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
