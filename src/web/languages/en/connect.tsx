import type { ComponentChildren } from 'preact'

export const connect = {
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
}
