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
  account: {
    navigation: 'Ihr Konto',
    loggedInAs: (name) => <>Sie sind als {name} angemeldet.</>,
    logOut: 'Abmelden',
  },
  connections: {
    heading: 'Verbundene Apps',
    intro:
      'Jede der folgenden Anwendungen darf die Haushalte, die Sie sehen können, und deren aktive Konten lesen, bis Sie die Verbindung trennen. Das Trennen wirkt sofort.',
    none: 'Es ist keine Anwendung verbunden.',
    site: 'Website',
    connected: 'Verbunden',
    lastUsed: 'Zuletzt verwendet',
    neverUsed: 'Noch nie',
    reads: 'In den letzten 30 Tagen gelesen',
    requests: 'Anfragen',
    households: 'Haushalte',
    accounts: 'Konten',
    readsNote:
      'Was erneut gelesen wird, zählt erneut. Tage zählen nach UTC; die neuesten Zugriffe erscheinen nach einigen Sekunden.',
    disconnect: 'Verbindung trennen',
    history: 'Beendete Verbindungen',
    application: 'Anwendung',
    ended: 'Beendet',
    endedBy: { user: 'von Ihnen', operator: 'vom Betreiber dieses Dienstes' },
  },
  sessions: {
    heading: 'Sitzungen',
    intro:
      'In diesen Browsern sind Sie angemeldet. Eine Anmeldung endet nach 30 Minuten ohne Nutzung, spätestens aber nach 8 Stunden. Wenn Ihnen eine davon unbekannt ist, beenden Sie sie und ändern Sie Ihr Passwort.',
    browserOn: (browser, system) => `${browser} unter ${system}`,
    unknown: 'Unbekannter Browser',
    current: 'Dieser Browser',
    loggedIn: 'Angemeldet',
    lastActive: 'Zuletzt aktiv',
    end: 'Sitzung beenden',
    endOthers: 'Alle anderen Sitzungen beenden',
  },
  password: {
    heading: 'Passwort',
    intro:
      'Mit einem neuen Passwort werden Sie in allen anderen Browsern abgemeldet. Verbundene Apps bleiben verbunden: Sie erhalten Ihr Passwort nie.',
    current: 'Aktuelles Passwort',
    next: 'Neues Passwort',
    rule: 'Mindestens 8 Zeichen.',
    change: 'Passwort ändern',
    changed:
      'Ihr Passwort ist geändert, und Sie sind in allen anderen Browsern abgemeldet. Ihre verbundenen Apps bleiben verbunden.',
    unfit: {
      too_short: 'Das neue Passwort ist zu kurz: Es braucht mindestens 8 Zeichen.',
      too_long: 'Das neue Passwort ist zu lang.',
      more_than_one_line: 'Das neue Passwort darf nur eine Zeile haben.',
    },
    refused: 'Das aktuelle Passwort ist nicht richtig.',
    throttled: (minutes) =>
      `Es gab zu viele Versuche. Bitte versuchen Sie es in ${minutes === 1 ? 'einer Minute' : `${minutes} Minuten`} erneut.`,
  },
}
