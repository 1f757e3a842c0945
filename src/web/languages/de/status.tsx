import type { Catalogue } from '../en/catalogue.ts'

export const status: Pick<Catalogue, 'status'> = {
  status: {
    title: 'Dienststatus',
    available: 'Der Dienst funktioniert',
    unavailable: 'Der Dienst ist gestört',
    disrupted:
      'Der Dienst erreicht seine Daten zurzeit nicht. Solange bekommen Apps keine Daten, und die Anmeldung schlägt fehl.',
    asOf: (at) => <>Stand: {at}</>,
    last30Days: 'Letzte 30 Tage',
    availability: 'Verfügbarkeit',
    month: 'Monat',
    days: 'Tage',
    legend: { noOutage: 'Kein Ausfall', outage: 'Ausfall', noData: 'Keine Daten' },
    outageOn: (days) => `Ausfall am ${days}`,
    day: {
      outage: (day, availability, duration) => `${day}: ${availability}, Ausfall von ${duration}`,
      noOutage: (day) => `${day}: kein Ausfall`,
      noData: (day) => `${day}: keine Daten`,
    },
    responseTimes: 'Antwortzeiten',
    typical: 'Typische Antwortzeit',
    responseNote:
      'Die Zeit, in der so viele von 100 Aufrufen beantwortet wurden, ohne den Weg durch das Netz. Ein Aufruf schlägt fehl, wenn der Dienst ihn nicht beantworten konnte.',
    kinds: { read: 'Wenn Apps Daten lesen', token: 'Wenn Apps Zugriff erhalten oder erneuern' },
    failed: 'Fehler',
    outages: 'Ausfälle',
    none: 'In dieser Zeit gab es keinen Ausfall.',
    until: (from, to) => (
      <>
        {from} bis {to}
      </>
    ),
    ongoing: (from) => <>Seit {from}</>,
    note: (seconds) =>
      `Jeder Server meldet sich alle ${seconds} Sekunden. Meldet sich keiner, ist das ein Ausfall, von der letzten Meldung bis zur nächsten. Kürzere Unterbrechungen sind möglicherweise nicht zu sehen. Tage und Monate gelten in UTC.`,
    json: 'Dieselben Zahlen für Programme (JSON)',
  },
}
