export const general = {
  frame: {
    sandbox: 'Sandbox',
    supportReference: 'Reference for support:',
    /** The name of the language follows. */
    language: 'Language:',
    status: 'Status',
    support: 'Support',
    privacy: 'Privacy',
    terms: 'Terms',
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
    /** A page was opened without a parameter that it needs. */
    incompleteLink: {
      heading: 'This link does not work',
      text: 'It is incomplete or was changed. Open the page again from where you found the link.',
    },
    /** A person opened an address of the API. */
    forApplications: {
      heading: 'This address is for applications',
      text: 'There is nothing to see here for people. The documentation explains how applications use it.',
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
}
