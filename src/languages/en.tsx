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
}

export type Catalogue = typeof en
