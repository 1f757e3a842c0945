import type { Catalogue } from '../en/catalogue.ts'

export const password: Pick<Catalogue, 'password'> = {
  password: {
    heading: 'Passwort',
    intro:
      'Wenn Sie Ihr Passwort ändern, werden Sie in allen anderen Browsern abgemeldet. Ihre Apps bleiben verbunden.',
    current: 'Aktuelles Passwort',
    new: 'Neues Passwort',
    rule: (characters) =>
      `Mindestens ${characters} Zeichen. Vier Wörter, die nichts miteinander zu tun haben, sind leicht zu merken und schwer zu erraten.`,
    change: 'Passwort ändern',
    changed:
      'Ihr Passwort wurde geändert. In allen anderen Browsern sind Sie abgemeldet. Ihre Apps bleiben verbunden.',
    missing: {
      atProvider:
        'Sie haben hier kein Passwort. Sie melden sich mit dem Konto Ihrer Organisation an und ändern dessen Passwort dort.',
      notSet: 'Sie haben hier kein Passwort.',
      byMail: (email) => (
        <>
          Wenn Sie sich mit einem Passwort anmelden möchten, schicken wir Ihnen einen Link an {email}, mit dem
          Sie es festlegen.
        </>
      ),
      fromSupport: (support) => (
        <>Wenn Sie sich mit einem Passwort anmelden möchten, wenden Sie sich an den {support}.</>
      ),
      support: 'Support',
    },
    rejectedPassword: {
      too_short: (characters) =>
        `Das neue Passwort ist zu kurz. Verwenden Sie mindestens ${characters} Zeichen.`,
      too_long: 'Das neue Passwort ist zu lang. Verwenden Sie ein kürzeres.',
      more_than_one_line: 'Das neue Passwort enthält einen Zeilenumbruch. Entfernen Sie ihn.',
      contains_personal:
        'Das neue Passwort enthält Ihren Namen, Ihre E-Mail-Adresse oder den Namen dieses Dienstes. Angreifer probieren das zuerst. Lassen Sie es weg.',
      common:
        'Viele Menschen verwenden das neue Passwort, deshalb probieren Angreifer es zuerst. Verwenden Sie vier Wörter, die nichts miteinander zu tun haben.',
      pattern:
        'Das neue Passwort ist leicht zu erraten: Es wiederholt sich oder folgt einem Muster, zum Beispiel einer Tastenreihe oder einem Datum. Verwenden Sie vier Wörter, die nichts miteinander zu tun haben.',
      few_words:
        'Das neue Passwort ist leicht zu erraten: Es besteht aus wenigen häufigen Wörtern. Fügen Sie Wörter hinzu, die nichts miteinander zu tun haben.',
    },
    wrongCurrentPassword: 'Das aktuelle Passwort ist falsch.',
  },
}
