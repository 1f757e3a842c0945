import type { Catalogue } from '../en/catalogue.ts'

export const front: Pick<Catalogue, 'front'> = {
  front: {
    heading: 'Haushalte mit Apps teilen',
    purpose:
      'Apps können die Haushalte lesen, die Sie sehen, aber nur, wenn Sie die Apps verbinden. Sie können die Verbindung jederzeit trennen.',
    greeting: (name) => <>Guten Tag, {name}</>,
    allApps: 'Apps ansehen und Verbindungen trennen',
    lastUsed: (when) => <>Zuletzt verwendet: {when}</>,
    notUsed: 'Noch nicht verwendet',
    developers: {
      heading: 'Für Entwickler',
      text: 'Verbinden Sie Ihre Anwendung, und lesen Sie Haushalte und Konten im Namen ihrer Nutzer.',
      link: 'Zur Dokumentation (auf Englisch)',
      pages: 'Zu den Entwicklerseiten (auf Englisch)',
    },
    operators: {
      heading: 'Für Betreiber',
      text: 'Verwalten Sie Partner, Benutzer und Verbindungen in der Konsole, mit der Admin-API oder mit den Befehlen auf dem Server.',
      link: 'Konsole öffnen (auf Englisch)',
    },
  },
}
