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
      client:
        'Gehen Sie zurück zu der Seite, von der Sie kamen, und versuchen Sie es erneut. Sollte es wieder vorkommen, ist dies der Grund:',
      unavailable: 'Der Dienst kann gerade nicht antworten; versuchen Sie es gleich noch einmal.',
      internal: 'Bei uns ist etwas fehlgeschlagen.',
    },
    tryAgain: 'Erneut versuchen',
    toConnections: 'Zu Ihren verbundenen Apps',
  },
  authorize: {
    heading: 'Diese Anfrage kann nicht fortgesetzt werden',
    untrusted:
      'Der Anfrage der Anwendung, die Sie hierhergeschickt hat, ist nicht zu trauen. Deshalb wurden Sie nicht zu ihr zurückgeleitet.',
    reasons: {
      repeated: (parameter) => `Der Parameter ${parameter} wurde mehrfach gesendet.`,
      missing: (parameter) => `Der Parameter ${parameter} fehlt.`,
      foreignEnvironment: (theirs, ours) => `Die client_id gehört zu ${theirs}, und dies ist ${ours}.`,
      unknownClient: 'Die client_id ist hier nicht bekannt.',
      suspended: 'Diese Anwendung ist gesperrt.',
      unregisteredRedirectUri:
        'Die redirect_uri ist für diese Anwendung nicht registriert; sie muss genau übereinstimmen.',
    },
  },
  login: {
    heading: 'Anmelden',
    purpose: (partner) => <>Melden Sie sich an, um zu entscheiden, ob {partner} Ihre Haushalte lesen darf.</>,
    email: 'E-Mail-Adresse',
    password: 'Passwort',
    submit: 'Anmelden',
    passwordStays: 'Ihr Passwort bleibt hier: Keine Anwendung erhält es jemals.',
    refused: 'Die E-Mail-Adresse oder das Passwort stimmt nicht.',
    throttled: (minutes) =>
      `Es gab zu viele Versuche. Bitte versuchen Sie es in ${minutes} ${minutes === 1 ? 'Minute' : 'Minuten'} noch einmal.`,
    busy: 'Gerade melden sich sehr viele Personen an. Bitte versuchen Sie es in einigen Sekunden noch einmal.',
  },
  connect: {
    heading: (partner) => <>{partner} verbinden?</>,
    who: {
      term: 'Wer anfragt',
      text: (partner, host) => (
        <>
          {partner}, eine Anwendung unter {host}. Dorthin kehren Sie danach zurück.
        </>
      ),
    },
    what: {
      term: 'Was sie lesen darf',
      text: 'Die Haushalte, die Sie sehen können, und deren aktive Konten. Sie liest nur: Sie kann nichts ändern und nichts umbuchen, und Ihr Passwort erhält sie nicht.',
    },
    howLong: {
      term: 'Wie lange',
      text: 'Bis Sie die Verbindung beenden. Eine Anwendung, die sie 30 Tage lang nicht genutzt hat, muss Sie erneut hierherschicken.',
    },
    howToEnd: {
      term: 'Wie Sie sie beenden',
      text: (connections) => (
        <>
          Jederzeit und mit sofortiger Wirkung bei <a href={connections}>Ihren verbundenen Apps</a>.
        </>
      ),
    },
    cancel: 'Abbrechen',
    submit: 'Verbinden',
    notYou: 'Das sind nicht Sie? Als andere Person anmelden',
    suspended: {
      heading: 'Diese Anwendung ist gesperrt',
      text: 'Sie kann zurzeit nicht verbunden werden.',
    },
    notYours: {
      heading: 'Diese Seite gehört nicht zu Ihrer Anmeldung',
      text: 'Sie wurde für eine andere Anmeldung erstellt als die, die Sie jetzt haben. Es wurde nichts verbunden.',
    },
    used: {
      heading: 'Diese Seite wurde bereits verwendet',
      text: 'Sie haben hier schon einmal auf „Verbinden“ gedrückt, und das zählt nur einmal. Um erneut zu verbinden, beginnen Sie bitte von vorn.',
    },
    expired: {
      heading: 'Diese Seite ist nicht mehr aktuell',
      text: 'Sie war länger als zehn Minuten offen. Es wurde nichts verbunden.',
    },
    incomplete: {
      heading: 'Diese Seite ist nicht vollständig',
      text: 'Kehren Sie zu der Anwendung zurück, die Sie verbinden möchten, und beginnen Sie dort von vorn.',
    },
    startAgain: 'Von vorn beginnen',
  },
  logout: {
    heading: 'Abmelden?',
    who: (partner) => <>{partner} bittet Sie, sich hier abzumelden.</>,
    appsStay:
      'Ihre verbundenen Apps bleiben verbunden: Die Abmeldung beendet nur die Anmeldung in diesem Browser.',
    stay: 'Angemeldet bleiben',
    done: {
      heading: 'Sie sind abgemeldet',
      text: 'Sie können diese Seite schließen.',
    },
    refused: {
      heading: 'Sie wurden nicht abgemeldet',
      text: 'Der Anfrage der Anwendung, die Sie hierhergeschickt hat, ist nicht zu trauen. Deshalb wurde nichts ausgeführt, und Sie wurden nicht zu ihr zurückgeleitet. Abmelden können Sie sich auf der Seite „Verbundene Apps“.',
    },
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
      'Was erneut gelesen wird, zählt erneut. Die Tage richten sich nach UTC; die neuesten Zugriffe erscheinen nach einigen Sekunden.',
    disconnect: 'Verbindung trennen',
    history: 'Beendete Verbindungen',
    application: 'Anwendung',
    ended: 'Beendet',
    endedBy: { user: 'von Ihnen', operator: 'vom Betreiber dieses Dienstes' },
  },
  sessions: {
    heading: 'Sitzungen',
    intro: (minutes, hours) =>
      `In diesen Browsern sind Sie angemeldet. Eine Anmeldung endet nach ${minutes} Minuten ohne Nutzung, spätestens aber nach ${hours} Stunden. Wenn Ihnen eine davon unbekannt ist, beenden Sie sie und ändern Sie Ihr Passwort.`,
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
    rule: (characters) => `Mindestens ${characters} Zeichen.`,
    change: 'Passwort ändern',
    changed:
      'Ihr Passwort ist geändert, und Sie sind in allen anderen Browsern abgemeldet. Ihre verbundenen Apps bleiben verbunden.',
    unfit: {
      too_short: (characters) =>
        `Das neue Passwort ist zu kurz: Es braucht mindestens ${characters} Zeichen.`,
      too_long: 'Das neue Passwort ist zu lang.',
      more_than_one_line: 'Das neue Passwort darf nur eine Zeile haben.',
    },
    refused: 'Das aktuelle Passwort ist nicht richtig.',
  },
}
