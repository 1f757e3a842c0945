import type { Catalogue } from './en.tsx'

export const de: Catalogue = {
  frame: {
    sandbox: 'Sandbox',
    quoteNumber: 'Wenn Sie um Hilfe bitten, nennen Sie diese Nummer:',
  },
  errors: {
    foreignForm: {
      heading: 'Dieses Formular kam von einer anderen Website',
      text: 'Zu Ihrem Schutz wurde nichts ausgeführt. Wenn Sie selbst die Schaltfläche gedrückt haben, versuchen Sie es bitte erneut.',
    },
    staleForm: {
      heading: 'Diese Seite ist nicht mehr aktuell',
      text: 'Die Seite war zu lange offen oder gehört zu einer anderen Anmeldung. Zu Ihrem Schutz wurde nichts ausgeführt; bitte versuchen Sie es erneut.',
    },
    noSuchPage: {
      heading: 'Diese Seite gibt es nicht',
      text: 'Vielleicht ist die Adresse falsch geschrieben, oder die Seite ist umgezogen.',
    },
    unreadable: 'Diese Anfrage ist nicht lesbar',
    failed: 'Das hat nicht geklappt',
    faults: {
      client: 'Ein Teil davon fehlt oder ist nicht so, wie er sein sollte.',
      unavailable: 'Der Dienst kann gerade nicht antworten; versuchen Sie es gleich noch einmal.',
      internal: 'Bei uns ist etwas fehlgeschlagen.',
    },
    tryAgain: 'Erneut versuchen',
    toConnections: 'Zu Ihren verbundenen Apps',
  },
}
