import type { ComponentChildren } from 'preact'

export const front = {
  front: {
    heading: 'Share your households with apps',
    purpose:
      'Apps can read the households that you can see, but only if you connect them. You can disconnect them at any time.',
    greeting: (name: ComponentChildren) => <>Hello, {name}</>,
    allApps: 'See and disconnect your apps',
    lastUsed: (when: ComponentChildren) => <>Last used: {when}</>,
    notUsed: 'Not used yet',
    developers: {
      heading: 'For developers',
      text: 'Connect your application, and read households and accounts on behalf of its users.',
      link: 'Read the documentation',
      pages: 'Open the developer pages',
    },
    operators: {
      heading: 'For operators',
      text: 'Manage partners, users and connections in the console, with the admin API, or with the commands on the server.',
      link: 'Open the console',
    },
  },
}
