import type { Catalogue } from '../en/catalogue.ts'

export const mails: Pick<Catalogue, 'mails'> = {
  mails: {
    greeting: (name) => `Guten Tag ${name},`,
    automatic: (brand) => `${brand} hat diese E-Mail automatisch gesendet.`,
    support: 'Hilfe und Kontakt',
    connected: {
      subject: (partner) => `Sie haben ${partner} verbunden`,
      text: (partner, brand, at) =>
        `Sie haben ${partner} am ${at} mit Ihrem Konto bei ${brand} verbunden. ${partner} kann jetzt die Haushalte sehen, die Sie sehen können, und deren aktive Konten.`,
      notYou: 'Wenn Sie das nicht waren, trennen Sie die Verbindung und ändern Sie Ihr Passwort.',
      link: 'Verbundene Apps',
    },
    connectionEnds: {
      subject: (partner) => `${partner} verliert bald den Zugriff`,
      text: (partner, until) =>
        `Ihre Verbindung mit ${partner} endet am ${until}. Danach kann die App Ihre Haushalte und Konten nicht mehr sehen.`,
      toRenew:
        'Wenn die App den Zugriff behalten soll, verlängern Sie die Verbindung auf der folgenden Seite. Andernfalls müssen Sie nichts tun.',
      link: 'Verbundene Apps',
    },
    leaked: {
      subject: (partner) => `Ein Schlüssel von ${partner} war öffentlich zugänglich`,
      text: (partner, at) =>
        `Am ${at} haben wir erfahren, dass ein Schlüssel, mit dem ${partner} Ihre Haushalte und Konten liest, öffentlich zugänglich war. Möglicherweise hat ihn jemand anderes benutzt.`,
      ended: {
        access: (partner) =>
          `Wir haben den Schlüssel ersetzt. ${partner} bleibt verbunden, und Sie müssen nichts tun.`,
        connection: (partner) =>
          `Wir haben ${partner} sofort von Ihrem Konto getrennt. Wenn Sie die App weiter verwenden möchten, verbinden Sie sie neu.`,
      },
      link: 'Verbundene Apps',
    },
    passwordChanged: {
      subject: (brand) => `Ihr Passwort bei ${brand} wurde geändert`,
      text: {
        user: (at) =>
          `Sie haben Ihr Passwort am ${at} geändert. In allen anderen Browsern sind Sie abgemeldet.`,
        operator: (at) =>
          `Der Betreiber dieses Dienstes hat Ihr Passwort am ${at} neu festgelegt. Sie sind in allen Browsern abgemeldet.`,
        link: (at) =>
          `Ihr Passwort wurde am ${at} mit dem Link festgelegt, den wir Ihnen geschickt haben. Sie sind in allen Browsern abgemeldet.`,
      },
      notYou:
        'Wenn Sie das nicht waren, hat möglicherweise jemand Zugang zu Ihrem Konto. Legen Sie sofort ein neues Passwort fest.',
      link: 'Neues Passwort festlegen',
    },
    factorsChanged: {
      subject: (brand) => `Die Anmeldung bei ${brand} wurde geändert`,
      text: {
        passkey_added: (at) => `Am ${at} wurde Ihrem Konto ein Passkey hinzugefügt.`,
        passkey_removed: (at) => `Am ${at} wurde ein Passkey aus Ihrem Konto entfernt.`,
        totp_added: (at) => `Am ${at} wurde für Ihr Konto eine Authenticator-App eingerichtet.`,
        totp_removed: (at) => `Am ${at} wurde die Authenticator-App aus Ihrem Konto entfernt.`,
        reset: (at) =>
          `Der Betreiber dieses Dienstes hat am ${at} Ihre Passkeys, Ihre Authenticator-App und Ihre Wiederherstellungscodes entfernt. Sie sind in allen Browsern abgemeldet.`,
      },
      notYou:
        'Wenn Sie das nicht wollten, hat möglicherweise jemand Zugang zu Ihrem Konto. Prüfen Sie die folgende Seite und ändern Sie das Passwort, mit dem Sie sich anmelden.',
      link: 'Sicherheit Ihres Kontos',
    },
    newBrowser: {
      subject: (brand) => `Neue Anmeldung bei ${brand}`,
      text: (browser, at) =>
        `Am ${at} hat sich jemand in einem Browser, den wir nicht kennen, mit Ihrem Konto angemeldet: ${browser}.`,
      notYou:
        'Wenn Sie das waren, müssen Sie nichts tun. Beenden Sie andernfalls diese Sitzung und ändern Sie Ihr Passwort.',
      link: 'Ihre Sitzungen',
    },
    passwordReset: {
      subject: (brand) => `Neues Passwort für ${brand}`,
      text: (minutes) =>
        `Mit diesem Link können Sie ein neues Passwort festlegen. Er funktioniert einmal, in den nächsten ${minutes} Minuten.`,
      notYou:
        'Wenn Sie das nicht angefordert haben, ignorieren Sie diese E-Mail. Ihr Passwort bleibt gleich.',
      link: 'Neues Passwort festlegen',
    },
    noPassword: {
      subject: (brand) => `So melden Sie sich bei ${brand} an`,
      text: (brand) =>
        `Jemand hat ein neues Passwort für Ihr Konto angefordert. Sie haben bei ${brand} kein Passwort: Sie melden sich mit dem Konto Ihrer Organisation an.`,
      notYou: 'Wenn Sie das nicht angefordert haben, ignorieren Sie diese E-Mail.',
      link: 'Anmelden',
    },
    invitation: {
      subject: (brand) => `Ihr Passwort für ${brand}`,
      text: (brand, until) =>
        `Sie können sich bei ${brand} anmelden, sobald Sie Ihr Passwort festgelegt haben. Dieser Link funktioniert einmal, bis ${until}.`,
      link: 'Passwort festlegen',
    },
    developerInvited: {
      subject: (partner) => `Sie gehören zu den Entwicklern von ${partner}`,
      text: (partner, brand, until) =>
        `Sie können bei ${brand} an der Anwendung ${partner} arbeiten, sobald Sie Ihr Konto eingerichtet haben. Dieser Link funktioniert einmal, bis ${until}.`,
      link: 'Konto einrichten',
    },
    developerAdded: {
      subject: (partner) => `Sie gehören zu den Entwicklern von ${partner}`,
      text: (partner, brand) =>
        `Sie können jetzt bei ${brand} an der Anwendung ${partner} arbeiten. Melden Sie sich mit Ihrem Konto an.`,
      notYet:
        'Falls Sie Ihr Konto noch nicht eingerichtet haben, verwenden Sie den Link in der Einladung, die Sie schon erhalten haben.',
      link: 'Entwicklerseiten',
    },
    webhookDisabled: {
      subject: (partner) => `Webhooks von ${partner} sind abgeschaltet`,
      text: {
        failing: (partner, host) =>
          `Seit fünf Tagen konnte kein Ereignis für ${partner} an ${host} zugestellt werden. Daher ist dieser Endpunkt abgeschaltet.`,
        gone: (partner, host) =>
          `${host} hat ein Ereignis für ${partner} mit dem Status 410 Gone beantwortet. Daher ist dieser Endpunkt abgeschaltet.`,
      },
      toEnable:
        'Neue Ereignisse warten bis zu 30 Tage. Reparieren Sie den Empfänger und schalten Sie den Endpunkt dann auf der folgenden Seite ein. Aufgegebene Ereignisse können Sie dort erneut zustellen lassen.',
      link: 'Zu den Webhooks',
    },
  },
}
