import type { Catalogue } from '../en/catalogue.ts'

export const connect: Pick<Catalogue, 'connect'> = {
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
}
