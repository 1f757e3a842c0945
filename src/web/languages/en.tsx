import type { ComponentChildren } from 'preact'

/** The English texts of all pages. Their type is the shape of every catalogue: a missing translation does not compile. */
export const en = {
  frame: {
    sandbox: 'Sandbox',
    supportReference: 'Reference for support:',
  },
  front: {
    heading: 'Share your households with apps',
    purpose:
      'This service lets apps read the households that you can see. An app gets access only if you connect it.',
    apps: { label: 'Your connected apps', text: 'See which apps have access, and disconnect them.' },
    docs: {
      label: 'Documentation for developers',
      text: 'How to connect an app and read households and accounts.',
    },
  },
  errors: {
    crossSiteForm: {
      heading: 'This form came from another site',
      text: 'To protect your account, we changed nothing. If you pressed the button yourself, try again.',
    },
    staleForm: {
      heading: 'This page is out of date',
      text: 'It was open for too long, or it belongs to another sign-in. Nothing was changed. Try again.',
    },
    pageNotFound: {
      heading: 'Page not found',
      text: 'Check the address. The page may have moved.',
    },
    malformedRequest: 'We can’t read this request',
    serverError: 'Something went wrong',
    /** By the kind of the fault. The technical reason follows the first. */
    explanations: {
      client: 'Go back and try again. If it fails again, give support this reason:',
      unavailable: 'The service is unavailable. Try again in a moment.',
      internal: 'The error is on our side. Try again in a few minutes.',
    },
    tryAgain: 'Try again',
    toConnectedApps: 'Go to your connected apps',
  },
  authorize: {
    heading: 'We can’t complete this request',
    text: 'The app that sent you here made an invalid request, so we did not send you back to it. Give the app’s support this reason:',
    /** For the app's developers, who search for these terms. */
    reasons: {
      repeated: (parameter: string) => `Duplicate parameter: ${parameter}.`,
      missing: (parameter: string) => `Missing required parameter: ${parameter}.`,
      wrongEnvironment: (theirs: string, ours: string) =>
        `The client_id belongs to the ${theirs} environment. This is the ${ours} environment.`,
      unknownClient: 'Unknown client_id.',
      suspended: 'This application is suspended.',
      unregisteredRedirectUri:
        'The redirect_uri is not registered for this application. It must match a registered URI exactly.',
    },
    /** The value follows. */
    receivedRedirectUri: 'Received redirect_uri:',
  },
  login: {
    heading: 'Sign in',
    purpose: (partner: ComponentChildren) => (
      <>Sign in to choose whether {partner} can see your households.</>
    ),
    email: 'Email address',
    password: 'Password',
    submit: 'Sign in',
    passwordPrivacy: 'Apps never receive your password.',
    wrongCredentials: 'Wrong email address or password.',
    throttled: (minutes: number) =>
      `Too many attempts. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
    busy: 'Sign-in is busy. Try again in a few seconds.',
  },
  connect: {
    heading: (partner: ComponentChildren) => <>Connect {partner}?</>,
    who: {
      term: 'Who is asking',
      text: (partner: ComponentChildren, host: ComponentChildren) => (
        <>
          {partner}, an app at {host}. You will return there.
        </>
      ),
    },
    what: {
      term: 'What it can see',
      text: 'The households you can see, and their active accounts. It can’t change or move anything, and it never receives your password.',
    },
    howLong: {
      term: 'For how long',
      text: 'Until you disconnect it. If the app does not use the connection for 30 days, it has to ask you again.',
    },
    howToEnd: {
      term: 'How to disconnect it',
      text: (connections: string) => (
        <>
          At any time, under <a href={connections}>your connected apps</a>. The app loses access immediately.
        </>
      ),
    },
    cancel: 'Cancel',
    submit: 'Connect',
    switchUser: 'Not you? Sign in as someone else',
    suspended: {
      heading: 'This app is suspended',
      text: 'You can’t connect it for now. Try again later, or contact the app’s support.',
    },
    differentUser: {
      heading: 'This page belongs to another sign-in',
      text: 'Your sign-in has changed since this page was opened. Nothing was connected. To connect, start again.',
    },
    alreadyUsed: {
      heading: 'This page was already used',
      text: 'You have already pressed Connect here, and that works only once. To connect again, start again.',
    },
    expired: {
      heading: 'This page is out of date',
      text: 'It was open for more than ten minutes. Nothing was connected. To connect, start again.',
    },
    invalid: {
      heading: 'This link does not work',
      text: 'It is incomplete or was changed. Go back to the app that you want to connect, and start again.',
    },
    startAgain: 'Start again',
  },
  logout: {
    heading: 'Sign out?',
    requestedBy: (partner: ComponentChildren) => <>{partner} asks you to sign out.</>,
    appsStayConnected: 'You sign out of this browser only. Your connected apps stay connected.',
    stayLoggedIn: 'Stay signed in',
    done: {
      heading: 'You are signed out',
      text: 'You can close this page.',
    },
    refused: {
      heading: 'We did not sign you out',
      text: 'The app that sent you here made an invalid request, so we did not send you back to it. To sign out, go to your connected apps.',
    },
  },
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
  password: {
    heading: 'Password',
    intro: 'When you change your password, all other browsers are signed out. Your apps stay connected.',
    current: 'Current password',
    new: 'New password',
    rule: (characters: number) => `At least ${characters} characters.`,
    change: 'Change password',
    changed: 'Your password is changed. All other browsers are signed out. Your apps stay connected.',
    rejectedPassword: {
      too_short: (characters: number) =>
        `The new password is too short. Use at least ${characters} characters.`,
      too_long: 'The new password is too long. Use a shorter one.',
      more_than_one_line: 'The new password contains a line break. Remove it.',
    },
    wrongCurrentPassword: 'The current password is wrong.',
  },
}

export type Catalogue = typeof en
