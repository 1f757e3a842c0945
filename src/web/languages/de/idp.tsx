import type { Catalogue } from '../en/catalogue.ts'

export const idp: Pick<Catalogue, 'idp'> = {
  idp: {
    continueWith: (provider) => <>Weiter mit {provider}</>,
    or: 'oder',
    next: 'Weiter',
    usePassword: 'Stattdessen mit einem Passwort anmelden',
    useOtherAccount: 'Anderes Konto verwenden',
    unknownDomain:
      'Für diese E-Mail-Adresse ist keine Anmeldung eingerichtet. Prüfen Sie die Adresse, oder wenden Sie sich an den Support.',
    unmatched: {
      heading: 'Wir haben hier kein Konto für Sie gefunden',
      text: (provider, account) => (
        <>
          Sie haben sich bei {provider} als {account} angemeldet, aber hier gehört kein Konto dazu.
        </>
      ),
      remedy: (provider) => (
        <>
          Wenn Sie bei {provider} ein anderes Konto haben, verwenden Sie dieses. Andernfalls bitten Sie den
          Support um Zugang.
        </>
      ),
    },
    unverified: {
      heading: 'Ihre E-Mail-Adresse ist nicht bestätigt',
      text: (provider, account) => (
        <>
          {provider} hat nicht bestätigt, dass {account} Ihre Adresse ist. Deshalb haben wir Sie nicht
          angemeldet.
        </>
      ),
      remedy: (provider) => <>Bestätigen Sie die Adresse bei {provider}. Melden Sie sich danach erneut an.</>,
    },
    taken: {
      heading: 'Ihr Konto gehört hier zu einer anderen Anmeldung',
      text: (provider, account) => (
        <>
          Sie haben sich bei {provider} als {account} angemeldet. Früher haben Sie dort ein anderes Konto
          verwendet.
        </>
      ),
      remedy: (provider) => (
        <>
          Verwenden Sie das frühere Konto bei {provider}. Wenn Sie es nicht mehr haben, wenden Sie sich an den
          Support.
        </>
      ),
    },
    inactive: {
      heading: 'Ihr Konto ist nicht aktiv',
      text: (provider, account) => (
        <>
          Sie haben sich bei {provider} als {account} angemeldet. Ihr Konto ist hier gesperrt oder kann mit
          dieser Anmeldung nicht verwendet werden.
        </>
      ),
      remedy: (provider) => (
        <>
          Wenden Sie sich an den Support. Wenn Sie bei {provider} ein anderes Konto haben, können Sie dieses
          verwenden.
        </>
      ),
    },
    declined: {
      heading: 'Sie sind nicht angemeldet',
      cancelled: (provider) => (
        <>
          Die Anmeldung bei {provider} wurde abgebrochen oder nicht erlaubt. Sie können es erneut versuchen.
        </>
      ),
      failed: (provider) => (
        <>
          {provider} konnte Sie nicht anmelden. Versuchen Sie es erneut. Wenn es wieder nicht gelingt, nennen
          Sie dem Support diesen Grund:
        </>
      ),
    },
    stale: {
      heading: 'Bitte melden Sie sich erneut an',
      text: (provider) => (
        <>
          Die App verlangt eine neue Anmeldung, und {provider} hat nicht bestätigt, dass Sie sich gerade
          angemeldet haben. Melden Sie sich bei {provider} ab, und versuchen Sie es dann erneut.
        </>
      ),
    },
    unavailable: {
      heading: 'Diese Anmeldung ist nicht verfügbar',
      text: (provider) => (
        <>Wir können {provider} nicht erreichen. Versuchen Sie es in einem Moment erneut.</>
      ),
    },
    misconfigured: {
      heading: 'Diese Anmeldung funktioniert nicht',
      text: (provider) => (
        <>
          Die Verbindung mit {provider} ist nicht richtig eingerichtet. Wenden Sie sich an den Support. Es
          liegt nicht an Ihnen.
        </>
      ),
    },
    rejected: {
      heading: 'Wir konnten Ihre Anmeldung nicht prüfen',
      text: (provider) => (
        <>
          Um Ihr Konto zu schützen, haben wir die Antwort von {provider} nicht angenommen. Versuchen Sie es
          erneut.
        </>
      ),
    },
    foreign: {
      heading: 'Diese Anmeldung lässt sich hier nicht abschließen',
      text: 'Sie wurde in einem anderen Browser begonnen, wurde schon verwendet oder hat länger als eine Stunde gedauert. Beginnen Sie von vorn.',
    },
    leaving: 'Sie sind hier abgemeldet',
    stillSignedIn: (provider) => (
      <>
        Bei {provider} sind Sie möglicherweise noch angemeldet. Melden Sie sich auf einem gemeinsam genutzten
        Gerät auch dort ab.
      </>
    ),
  },
}
