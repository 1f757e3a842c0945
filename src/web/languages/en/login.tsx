import type { ComponentChildren } from 'preact'

export const login = {
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
}
