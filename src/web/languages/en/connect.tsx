import type { ComponentChildren } from 'preact'

export const connect = {
  connect: {
    heading: (partner: ComponentChildren, brand: ComponentChildren) => (
      <>
        Connect {partner} to your {brand} account?
      </>
    ),
    switchUser: 'Not you?',
    again: 'This app is already connected. Connecting it again does not change what it can see.',
    sees: (partner: ComponentChildren) => <>{partner} will be able to see</>,
    households: {
      one: (amount: ComponentChildren) => <>{amount} household</>,
      other: (amount: ComponentChildren) => <>{amount} households</>,
    },
    more: {
      one: (amount: ComponentChildren) => <>{amount} more</>,
      other: (amount: ComponentChildren) => <>{amount} more</>,
    },
    seeAll: 'See all',
    accounts: {
      one: (amount: ComponentChildren) => <>{amount} active account</>,
      other: (amount: ComponentChildren) => <>{amount} active accounts</>,
    },
    moreAccounts: (amount: ComponentChildren) => <>More than {amount} active accounts</>,
    fields: 'Name, type, masked number, custodian, currency, opening date',
    follows: 'This is what you can see now. If you can see more or less later, so can the app.',
    cannot: 'It will not be able to',
    see: 'see balances, transactions, your email address or your password',
    change: 'change or move anything',
    noEnd: 'Until you disconnect it, or it stays unused for 30 days.',
    ends: (date: ComponentChildren, days: ComponentChildren) => (
      <>
        Until {date} ({days}), unless you renew it. It ends earlier if it stays unused for 30 days.
      </>
    ),
    days: {
      one: (amount: ComponentChildren) => <>{amount} day</>,
      other: (amount: ComponentChildren) => <>{amount} days</>,
    },
    howToEnd: (connections: string) => (
      <>
        End it at any time under <a href={connections}>your connected apps</a>. The app loses access
        immediately, but keeps what it has already read.
      </>
    ),
    returnTo: (host: ComponentChildren) => <>You return to {host}.</>,
    privacyPolicy: (partner: ComponentChildren) => <>Privacy policy of {partner}</>,
    cancel: 'Cancel',
    submit: 'Connect',
    householdsPage: {
      heading: (partner: ComponentChildren) => <>Households that {partner} would see</>,
      none: 'You can’t see any households at the moment.',
      position: (first: ComponentChildren, last: ComponentChildren, all: ComponentChildren) => (
        <>
          {first} to {last} of {all}
        </>
      ),
      pages: 'Pages',
      previous: 'Previous page',
      next: 'Next page',
      back: 'Back to the question',
    },
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
