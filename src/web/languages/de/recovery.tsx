import type { Catalogue } from '../en/catalogue.ts'

export const recovery: Pick<Catalogue, 'recovery'> = {
  recovery: {
    forgotten: 'Passwort vergessen?',
    support: 'Probleme bei der Anmeldung? Wenden Sie sich an den Support',
    request: {
      intro:
        'Geben Sie Ihre E-Mail-Adresse ein. Wir schicken Ihnen einen Link, mit dem Sie ein neues Passwort festlegen können.',
      submit: 'Link schicken',
    },
    requested: {
      heading: 'Prüfen Sie Ihren Posteingang',
      text: (minutes) =>
        `Wenn es ein Konto mit dieser Adresse gibt, haben wir eine E-Mail dorthin geschickt. Der Link darin funktioniert einmal, in den nächsten ${minutes} Minuten.`,
      nothing:
        'Keine E-Mail? Sehen Sie im Spam-Ordner nach und prüfen Sie die Adresse. Wenn Sie mehrmals einen Link angefordert haben, funktioniert nur der neueste.',
    },
    unavailable: 'Dieser Dienst kann keine E-Mails senden. Bitten Sie den Support um ein neues Passwort.',
    backToLogin: 'Zurück zur Anmeldung',
    choose: {
      heading: 'Legen Sie Ihr Passwort fest',
      account: (email) => <>Für das Konto {email}.</>,
      submit: 'Passwort festlegen',
      otherLink:
        'Ihr Passwort wurde nicht festgelegt, weil in diesem Browser inzwischen ein anderer Link geöffnet wurde. Prüfen Sie, ob dies das richtige Konto ist, und geben Sie das Passwort noch einmal ein.',
    },
    done: {
      heading: 'Ihr Passwort ist festgelegt',
      text: 'Ihre anderen Sitzungen sind beendet. Sie können sich jetzt mit dem neuen Passwort anmelden.',
      signIn: 'Anmelden',
    },
    dead: {
      heading: 'Dieser Link funktioniert nicht mehr',
      text: 'Ein Link funktioniert nur einmal und nur für eine begrenzte Zeit. Auch ein neuerer Link oder ein geändertes Passwort beendet ihn.',
      again: 'Neuen Link anfordern',
    },
  },
}
