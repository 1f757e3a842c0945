import type { Catalogue } from '../en/catalogue.ts'

export const status: Pick<Catalogue, 'status'> = {
  status: {
    title: 'État du service',
    available: 'Le service fonctionne',
    unavailable: 'Le service est perturbé',
    disrupted:
      'Le service n’accède pas à ses données. En attendant, les applications ne reçoivent rien et la connexion échoue.',
    asOf: (at) => <>Chiffres du {at}</>,
    last30Days: '30 derniers jours',
    availability: 'Disponibilité',
    month: 'Mois',
    days: 'Jours',
    legend: { noOutage: 'Aucune interruption', outage: 'Interruption', noData: 'Aucune donnée' },
    outageOn: (days) => `Interruption\u00a0: ${days}`,
    day: {
      outage: (day, availability, duration) => `${day}\u00a0: ${availability}, interruption de ${duration}`,
      noOutage: (day) => `${day}\u00a0: aucune interruption`,
      noData: (day) => `${day}\u00a0: aucune donnée`,
    },
    responseTimes: 'Temps de réponse',
    typical: 'Temps de réponse typique',
    responseNote:
      'Le temps dans lequel autant d’appels sur 100 ont reçu une réponse, sans le trajet sur le réseau. Un appel échoue si le service n’a pas pu y répondre.',
    kinds: {
      read: 'Quand les applications lisent des données',
      token: 'Quand les applications obtiennent ou renouvellent leur accès',
    },
    failed: 'Échecs',
    outages: 'Interruptions',
    none: 'Il n’y a eu aucune interruption pendant cette période.',
    until: (from, to) => (
      <>
        du {from} au {to}
      </>
    ),
    ongoing: (from) => <>Depuis le {from}</>,
    note: (seconds) =>
      `Chaque serveur se signale toutes les ${seconds} secondes. Si aucun ne le fait, c’est une interruption, du dernier signal au suivant. Les interruptions plus courtes peuvent ne pas apparaître. Les jours et les mois sont en UTC.`,
    json: 'Les mêmes chiffres pour les programmes (JSON)',
  },
}
