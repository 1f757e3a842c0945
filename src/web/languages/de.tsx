import type { Catalogue } from './en.tsx'

export const de: Catalogue = {
  frame: {
    sandbox: 'Sandbox',
    supportReference: 'Referenz für den Support:',
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
  authorize: {
    heading: 'Wir können diese Anfrage nicht ausführen',
    text: 'Die App, von der Sie kommen, hat eine ungültige Anfrage gestellt. Deshalb haben wir Sie nicht zu ihr zurückgeleitet. Nennen Sie dem Support der App diesen Grund:',
    reasons: {
      repeated: (parameter) => `Parameter mehrfach gesendet: ${parameter}.`,
      missing: (parameter) => `Erforderlicher Parameter fehlt: ${parameter}.`,
      wrongEnvironment: (theirs, ours) =>
        `Die client_id gehört zur Umgebung ${theirs}. Dies ist die Umgebung ${ours}.`,
      unknownClient: 'Unbekannte client_id.',
      suspended: 'Diese Anwendung ist gesperrt.',
      unregisteredRedirectUri:
        'Die redirect_uri ist für diese Anwendung nicht registriert. Sie muss genau mit einer registrierten URI übereinstimmen.',
    },
    receivedRedirectUri: 'Empfangene redirect_uri:',
  },
  login: {
    heading: 'Anmelden',
    purpose: (partner) => <>Melden Sie sich an, um zu entscheiden, ob {partner} Ihre Haushalte sehen darf.</>,
    email: 'E-Mail-Adresse',
    password: 'Passwort',
    submit: 'Anmelden',
    passwordPrivacy: 'Apps erhalten niemals Ihr Passwort.',
    wrongCredentials: 'E-Mail-Adresse oder Passwort falsch.',
    throttled: (minutes) =>
      `Zu viele Versuche. Versuchen Sie es in ${minutes} ${minutes === 1 ? 'Minute' : 'Minuten'} erneut.`,
    busy: 'Die Anmeldung ist gerade überlastet. Versuchen Sie es in einigen Sekunden erneut.',
  },
  connect: {
    heading: (partner) => <>{partner} verbinden?</>,
    who: {
      term: 'Wer anfragt',
      text: (partner, host) => (
        <>
          {partner}, eine App auf {host}. Dorthin kehren Sie zurück.
        </>
      ),
    },
    what: {
      term: 'Was sie sehen kann',
      text: 'Die Haushalte, die Sie sehen können, und deren aktive Konten. Sie kann nichts ändern oder umbuchen und erhält niemals Ihr Passwort.',
    },
    howLong: {
      term: 'Wie lange',
      text: 'Bis Sie die Verbindung trennen. Nutzt die App die Verbindung 30 Tage lang nicht, muss sie Sie erneut fragen.',
    },
    howToEnd: {
      term: 'Wie Sie die Verbindung trennen',
      text: (connections) => (
        <>
          Jederzeit unter <a href={connections}>Ihren verbundenen Apps</a>. Die App verliert den Zugriff
          sofort.
        </>
      ),
    },
    cancel: 'Abbrechen',
    submit: 'Verbinden',
    switchUser: 'Das sind nicht Sie? Als andere Person anmelden',
    suspended: {
      heading: 'Diese App ist gesperrt',
      text: 'Sie können sie zurzeit nicht verbinden. Versuchen Sie es später erneut oder wenden Sie sich an den Support der App.',
    },
    differentUser: {
      heading: 'Diese Seite gehört zu einer anderen Anmeldung',
      text: 'Ihre Anmeldung hat sich geändert, seit diese Seite geöffnet wurde. Es wurde nichts verbunden. Um die App zu verbinden, beginnen Sie von vorn.',
    },
    alreadyUsed: {
      heading: 'Diese Seite wurde bereits verwendet',
      text: 'Sie haben hier bereits auf „Verbinden“ gedrückt, und das geht nur einmal. Um die App erneut zu verbinden, beginnen Sie von vorn.',
    },
    expired: {
      heading: 'Diese Seite ist nicht mehr aktuell',
      text: 'Sie war länger als zehn Minuten geöffnet. Es wurde nichts verbunden. Um die App zu verbinden, beginnen Sie von vorn.',
    },
    invalid: {
      heading: 'Dieser Link funktioniert nicht',
      text: 'Er ist unvollständig oder wurde verändert. Gehen Sie zurück zu der App, die Sie verbinden möchten, und beginnen Sie von vorn.',
    },
    startAgain: 'Von vorn beginnen',
  },
  logout: {
    heading: 'Abmelden?',
    requestedBy: (partner) => <>{partner} bittet Sie, sich abzumelden.</>,
    appsStayConnected: 'Sie melden sich nur in diesem Browser ab. Ihre verbundenen Apps bleiben verbunden.',
    stayLoggedIn: 'Angemeldet bleiben',
    done: {
      heading: 'Sie sind abgemeldet',
      text: 'Sie können diese Seite schließen.',
    },
    refused: {
      heading: 'Wir haben Sie nicht abgemeldet',
      text: 'Die App, von der Sie kommen, hat eine ungültige Anfrage gestellt. Deshalb haben wir Sie nicht zu ihr zurückgeleitet. Abmelden können Sie sich auf der Seite „Verbundene Apps“.',
    },
  },
  account: {
    navigation: 'Ihr Konto',
    loggedInAs: (name) => <>Angemeldet als {name}.</>,
    logOut: 'Abmelden',
  },
  connections: {
    heading: 'Verbundene Apps',
    intro:
      'Diese Apps können die Haushalte sehen, die Sie sehen können, und deren aktive Konten. Wenn Sie eine Verbindung trennen, verliert die App den Zugriff sofort.',
    none: 'Es sind keine Apps verbunden. Wenn Sie eine App verbinden, erscheint sie hier.',
    site: 'Website',
    connected: 'Verbunden',
    lastUsed: 'Zuletzt verwendet',
    neverUsed: 'Noch nie',
    reads: 'In den letzten 30 Tagen gelesen',
    requests: 'Anfragen',
    households: 'Haushalte',
    accounts: 'Konten',
    readsNote:
      'Was zweimal gelesen wird, zählt zweimal. Tage gelten in UTC. Neue Zugriffe erscheinen nach einigen Sekunden.',
    disconnect: 'Verbindung trennen',
    disconnectPage: {
      heading: (partner) => <>Verbindung mit {partner} trennen?</>,
      whatEnds: (partner) => (
        <>{partner} verliert den Zugriff sofort und kann Ihre Haushalte und Konten nicht mehr sehen.</>
      ),
      whatStays: 'Daten, die die App bereits gelesen hat, bleiben bei der App.',
      connectAgain: 'Sie können die App jederzeit wieder verbinden. Beginnen Sie dazu in der App.',
    },
    history: 'Beendete Verbindungen',
    app: 'App',
    ended: 'Beendet',
    endedBy: {
      user: 'von Ihnen',
      operator: 'vom Betreiber dieses Dienstes',
      firm_changed: 'weil Sie in eine andere Firma gewechselt haben',
    },
  },
  sessions: {
    heading: 'Sitzungen',
    intro: (minutes, hours) =>
      `In diesen Browsern sind Sie angemeldet. Eine Sitzung endet nach ${minutes} Minuten ohne Nutzung, spätestens nach ${hours} Stunden. Wenn Sie eine Sitzung nicht erkennen, beenden Sie sie und ändern Sie Ihr Passwort.`,
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
      'Wenn Sie Ihr Passwort ändern, werden Sie in allen anderen Browsern abgemeldet. Ihre Apps bleiben verbunden.',
    current: 'Aktuelles Passwort',
    new: 'Neues Passwort',
    rule: (characters) => `Mindestens ${characters} Zeichen.`,
    change: 'Passwort ändern',
    changed:
      'Ihr Passwort wurde geändert. In allen anderen Browsern sind Sie abgemeldet. Ihre Apps bleiben verbunden.',
    rejectedPassword: {
      too_short: (characters) =>
        `Das neue Passwort ist zu kurz. Verwenden Sie mindestens ${characters} Zeichen.`,
      too_long: 'Das neue Passwort ist zu lang. Verwenden Sie ein kürzeres.',
      more_than_one_line: 'Das neue Passwort enthält einen Zeilenumbruch. Entfernen Sie ihn.',
    },
    wrongCurrentPassword: 'Das aktuelle Passwort ist falsch.',
  },
}
