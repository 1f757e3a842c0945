import type { Catalogue } from '../en/catalogue.ts'

export const account: Pick<Catalogue, 'account' | 'connections' | 'sessions'> = {
  account: {
    navigation: 'Ihr Konto',
    loggedInAs: (name) => <>Angemeldet als {name}.</>,
    logOut: 'Abmelden',
  },
  connections: {
    heading: 'Verbundene Apps',
    intro:
      'Diese Apps können die Haushalte sehen, die Sie sehen können, und deren aktive Konten. Wenn Sie eine Verbindung trennen, verliert die App den Zugriff sofort.',
    none: 'Es sind keine Apps verbunden.',
    howToConnect:
      'Um eine App zu verbinden, öffnen Sie die App und beginnen Sie dort. Sie leitet Sie hierher, Sie entscheiden, und danach zeigt diese Seite, was sie liest.',
    connected: 'Verbunden',
    lastUsed: 'Zuletzt verwendet',
    neverUsed: 'Noch nie',
    ends: 'Endet',
    noEnd: 'Wenn Sie die Verbindung trennen',
    endsUnused: (at) => <>oder {at}, wenn bis dahin ungenutzt</>,
    noAccess:
      'Die App kann zurzeit nichts lesen: Sie hat die Verbindung 30 Tage lang nicht genutzt oder selbst beendet. Um ihr wieder Zugriff zu geben, verbinden Sie sie in der App.',
    renew: {
      one: (amount) => <>Um {amount} Tag verlängern</>,
      other: (amount) => <>Um {amount} Tage verlängern</>,
    },
    endsSoon: 'Diese Verbindung endet bald. Wenn die App den Zugriff behalten soll, verlängern Sie sie.',
    renewWithoutEnd: 'Unbefristet verlängern',
    reads: (days) => <>In den letzten {days} Tagen gelesen</>,
    requests: 'Anfragen',
    households: 'Haushalte',
    accounts: 'Konten',
    chart: (day, amount) => `Die meisten Haushalte und Konten an einem Tag: ${amount} am ${day}`,
    today: 'Heute',
    asTable: 'Als Tabelle zeigen',
    day: 'Tag',
    readsNote:
      'Was zweimal gelesen wird, zählt zweimal. Tage gelten in UTC. Neue Zugriffe erscheinen nach einigen Sekunden.',
    disconnect: 'Verbindung trennen',
    householdReads: {
      link: 'Welche Haushalte sie gelesen hat',
      heading: (partner) => <>Haushalte, die {partner} gelesen hat</>,
      none: 'In dieser Zeit hat die App keine Haushalte gelesen.',
      household: 'Haushalt',
      lastRead: 'Zuletzt gelesen',
      times: 'Wie oft',
      hidden: 'Sie können ihn nicht mehr sehen',
      note: 'Ein Haushalt zählt jedes Mal, wenn die App ihn bekommt, allein oder mit seinen Konten. Tage gelten in UTC. Neue Zugriffe erscheinen nach einigen Sekunden.',
      back: 'Zurück zu den verbundenen Apps',
    },
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
      expiry: 'weil die Zeit abgelaufen war',
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
}
