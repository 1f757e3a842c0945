import type { Catalogue } from '../en/catalogue.ts'

export const connect: Pick<Catalogue, 'connect'> = {
  connect: {
    heading: (partner, brand) => (
      <>
        {partner} mit Ihrem Konto bei {brand} verbinden?
      </>
    ),
    switchUser: 'Das sind nicht Sie?',
    again: 'Diese App ist bereits verbunden. Erneut verbinden ändert nicht, was sie sehen kann.',
    sees: (partner) => <>Was {partner} sehen kann</>,
    households: {
      one: (amount) => <>{amount} Haushalt</>,
      other: (amount) => <>{amount} Haushalte</>,
    },
    more: {
      one: (amount) => <>{amount} weiterer</>,
      other: (amount) => <>{amount} weitere</>,
    },
    seeAll: 'Alle ansehen',
    accounts: {
      one: (amount) => <>{amount} aktives Konto</>,
      other: (amount) => <>{amount} aktive Konten</>,
    },
    moreAccounts: (amount) => <>Mehr als {amount} aktive Konten</>,
    fields: 'Name, Art, maskierte Nummer, Depotbank, Währung, Eröffnungsdatum',
    follows:
      'Das können Sie jetzt sehen. Können Sie später mehr oder weniger sehen, gilt das auch für die App.',
    cannot: 'Was sie nicht kann',
    see: 'Salden, Umsätze, Ihre E-Mail-Adresse oder Ihr Passwort sehen',
    change: 'etwas ändern oder umbuchen',
    noEnd: 'Bis Sie die Verbindung trennen oder die App sie 30 Tage lang nicht nutzt.',
    ends: (date, days) => (
      <>
        Bis zum {date} ({days}), wenn Sie nicht verlängern. Die Verbindung endet früher, wenn die App sie 30
        Tage lang nicht nutzt.
      </>
    ),
    days: {
      one: (amount) => <>{amount} Tag</>,
      other: (amount) => <>{amount} Tage</>,
    },
    howToEnd: (connections) => (
      <>
        Trennen Sie die Verbindung jederzeit unter <a href={connections}>Ihren verbundenen Apps</a>. Die App
        verliert den Zugriff sofort und behält, was sie bereits gelesen hat.
      </>
    ),
    returnTo: (host) => <>Sie kehren zurück zu {host}.</>,
    privacyPolicy: (partner) => <>Datenschutzerklärung von {partner}</>,
    cancel: 'Abbrechen',
    submit: 'Verbinden',
    householdsPage: {
      heading: (partner) => <>Haushalte, die {partner} sehen würde</>,
      none: 'Sie können zurzeit keine Haushalte sehen.',
      position: (first, last, all) => (
        <>
          {first} bis {last} von {all}
        </>
      ),
      pages: 'Seiten',
      previous: 'Vorherige Seite',
      next: 'Nächste Seite',
      back: 'Zurück zur Frage',
    },
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
}
