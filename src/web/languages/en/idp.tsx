import type { ComponentChildren } from 'preact'

type Part = ComponentChildren

/** Login through an identity provider. `provider` is its name. */
export const idp = {
  idp: {
    continueWith: (provider: Part) => <>Continue with {provider}</>,
    or: 'or',
    next: 'Continue',
    usePassword: 'Sign in with a password instead',
    useOtherAccount: 'Use another account',
    unknownDomain: 'No sign-in is set up for this email address. Check the address, or contact support.',
    /** No user belongs to the account at the provider. */
    unmatched: {
      heading: 'We found no account for you here',
      text: (provider: Part, account: Part) => (
        <>
          You signed in at {provider} as {account}, but no account here belongs to it.
        </>
      ),
      remedy: (provider: Part) => (
        <>If you have another account at {provider}, use that one. Otherwise, ask support for access.</>
      ),
    },
    unverified: {
      heading: 'Your email address is not confirmed',
      text: (provider: Part, account: Part) => (
        <>
          {provider} has not confirmed that {account} is your address, so we did not sign you in.
        </>
      ),
      remedy: (provider: Part) => <>Confirm the address at {provider}. Then sign in again.</>,
    },
    taken: {
      heading: 'Your account here belongs to another sign-in',
      text: (provider: Part, account: Part) => (
        <>
          You signed in at {provider} as {account}. Before, you signed in with a different account there.
        </>
      ),
      remedy: (provider: Part) => (
        <>Use the account at {provider} that you used before. If you no longer have it, contact support.</>
      ),
    },
    inactive: {
      heading: 'Your account is not active',
      text: (provider: Part, account: Part) => (
        <>
          You signed in at {provider} as {account}. Your account here is blocked, or it can’t be used with
          this sign-in.
        </>
      ),
      remedy: (provider: Part) => (
        <>Contact support. If you have another account at {provider}, you can use that one.</>
      ),
    },
    declined: {
      heading: 'You are not signed in',
      cancelled: (provider: Part) => (
        <>The sign-in at {provider} was cancelled or not allowed. You can try again.</>
      ),
      failed: (provider: Part) => (
        <>{provider} could not sign you in. Try again. If it fails again, give support this reason:</>
      ),
    },
    stale: {
      heading: 'Please sign in again',
      text: (provider: Part) => (
        <>
          The app asks for a new sign-in, and {provider} did not confirm that you have just signed in. Sign
          out at {provider}, and then try again.
        </>
      ),
    },
    unavailable: {
      heading: 'This sign-in is not available',
      text: (provider: Part) => <>We can’t reach {provider}. Try again in a moment.</>,
    },
    misconfigured: {
      heading: 'This sign-in does not work',
      text: (provider: Part) => (
        <>The connection with {provider} is not set up correctly. Contact support. It is not your fault.</>
      ),
    },
    rejected: {
      heading: 'We could not check your sign-in',
      text: (provider: Part) => (
        <>To protect your account, we did not accept the answer of {provider}. Try again.</>
      ),
    },
    foreign: {
      heading: 'This sign-in can’t be finished here',
      text: 'It was started in another browser, was already used, or took longer than an hour. Start again.',
    },
    leaving: 'You are signed out here',
    stillSignedIn: (provider: Part) => (
      <>You may still be signed in at {provider}. On a shared device, sign out there too.</>
    ),
  },
}
