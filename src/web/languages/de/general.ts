import type { Catalogue } from '../en/catalogue.ts'

export const general: Pick<Catalogue, 'frame' | 'front' | 'errors'> = {
  frame: {
    sandbox: 'Sandbox',
    supportReference: 'Referenz für den Support:',
    language: 'Sprache:',
    support: 'Hilfe',
    privacy: 'Datenschutz',
    terms: 'Nutzungsbedingungen',
  },
  front: {
    heading: 'Haushalte mit Apps teilen',
    purpose:
      'Über diesen Dienst können Apps die Haushalte lesen, die Sie sehen. Eine App bekommt nur Zugriff, wenn Sie sie verbinden.',
    apps: {
      label: 'Ihre verbundenen Apps',
      text: 'Sehen Sie, welche Apps Zugriff haben, und trennen Sie Verbindungen.',
    },
    docs: {
      label: 'Dokumentation für Entwickler',
      text: 'Wie man eine App verbindet und Haushalte und Konten liest (auf Englisch).',
    },
  },
  errors: {
    crossSiteForm: {
      heading: 'Dieses Formular kam von einer anderen Website',
      text: 'Zum Schutz Ihres Kontos haben wir nichts geändert. Wenn Sie selbst auf die Schaltfläche gedrückt haben, versuchen Sie es erneut.',
    },
    staleForm: {
      heading: 'Diese Seite ist nicht mehr aktuell',
      text: 'Sie war zu lange geöffnet oder gehört zu einer anderen Anmeldung. Es wurde nichts geändert. Versuchen Sie es erneut.',
    },
    pageNotFound: {
      heading: 'Seite nicht gefunden',
      text: 'Prüfen Sie die Adresse. Vielleicht wurde die Seite verschoben.',
    },
    malformedRequest: 'Wir können diese Anfrage nicht lesen',
    serverError: 'Etwas ist schiefgelaufen',
    explanations: {
      client:
        'Gehen Sie zurück und versuchen Sie es erneut. Wenn es wieder nicht klappt, nennen Sie dem Support diesen Grund:',
      unavailable: 'Der Dienst ist nicht verfügbar. Versuchen Sie es gleich noch einmal.',
      internal: 'Der Fehler liegt bei uns. Versuchen Sie es in einigen Minuten erneut.',
    },
    tryAgain: 'Erneut versuchen',
    toConnectedApps: 'Zu Ihren verbundenen Apps',
  },
}
