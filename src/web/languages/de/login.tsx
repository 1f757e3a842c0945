import type { Catalogue } from '../en/catalogue.ts'

export const login: Pick<Catalogue, 'authorize' | 'login' | 'logout'> = {
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
}
