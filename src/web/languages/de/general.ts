import type { Catalogue } from '../en/catalogue.ts'

export const general: Pick<Catalogue, 'frame' | 'errors'> = {
  frame: {
    sandbox: 'Sandbox',
    supportReference: 'Referenz für den Support:',
    language: 'Sprache:',
    status: 'Status',
    support: 'Hilfe',
    privacy: 'Datenschutz',
    terms: 'Nutzungsbedingungen',
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
    incompleteLink: {
      heading: 'Dieser Link funktioniert nicht',
      text: 'Er ist unvollständig oder wurde verändert. Öffnen Sie die Seite noch einmal von dort, wo Sie den Link gefunden haben.',
    },
    forApplications: {
      heading: 'Diese Adresse ist für Anwendungen',
      text: 'Für Menschen gibt es hier nichts zu sehen. Die Dokumentation erklärt, wie Anwendungen sie verwenden.',
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
