import type { Catalogue } from '../en/catalogue.ts'

export const status: Pick<Catalogue, 'status'> = {
  status: {
    title: 'Estado del servicio',
    available: 'El servicio funciona',
    unavailable: 'El servicio tiene una interrupción',
    disrupted:
      'El servicio no puede acceder a sus datos. Mientras tanto, las aplicaciones no reciben datos y no es posible iniciar sesión.',
    asOf: (at) => <>Datos del {at}</>,
    last30Days: 'Últimos 30 días',
    availability: 'Disponibilidad',
    month: 'Mes',
    days: 'Días',
    legend: { noOutage: 'Sin interrupciones', outage: 'Interrupción', noData: 'Sin datos' },
    outageOn: (days) => `Interrupción: ${days}`,
    day: {
      outage: (day, availability, duration) => `${day}: ${availability}, interrupción de ${duration}`,
      noOutage: (day) => `${day}: sin interrupciones`,
      noData: (day) => `${day}: sin datos`,
    },
    responseTimes: 'Tiempos de respuesta',
    typical: 'Tiempo de respuesta habitual',
    responseNote:
      'El tiempo en el que se respondieron tantas de cada 100 llamadas, sin el recorrido por la red. Una llamada falla si el servicio no pudo responderla.',
    kinds: {
      read: 'Cuando las aplicaciones leen datos',
      token: 'Cuando las aplicaciones obtienen o renuevan el acceso',
    },
    failed: 'Fallidas',
    outages: 'Interrupciones',
    none: 'No hubo interrupciones en este periodo.',
    until: (from, to) => (
      <>
        Del {from} al {to}
      </>
    ),
    ongoing: (from) => <>Desde el {from}</>,
    note: (seconds) =>
      `Cada servidor envía una señal cada ${seconds} segundos. Si ninguno lo hace, hay una interrupción, desde la última señal hasta la siguiente. Es posible que no se vean interrupciones más cortas. Los días y los meses están en UTC.`,
    json: 'Las mismas cifras para programas (JSON)',
  },
}
