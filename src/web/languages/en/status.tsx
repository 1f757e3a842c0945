import type { ComponentChildren } from 'preact'

export const status = {
  status: {
    title: 'Service status',
    available: 'The service works',
    unavailable: 'The service is disrupted',
    /** Below `unavailable`. */
    disrupted: 'The service cannot reach its data. Until it can, apps get no data, and sign-in fails.',
    asOf: (at: ComponentChildren) => <>As of {at}</>,
    last30Days: 'Last 30 days',
    availability: 'Availability',
    month: 'Month',
    days: 'Days',
    /** What the colours of the days mean. */
    legend: { noOutage: 'No outage', outage: 'Outage', noData: 'No data' },
    /** A list of dates. */
    outageOn: (days: string) => `Outage on ${days}`,
    day: {
      outage: (day: string, availability: string, duration: string) =>
        `${day}: ${availability}, outage of ${duration}`,
      noOutage: (day: string) => `${day}: no outage`,
      noData: (day: string) => `${day}: no data`,
    },
    responseTimes: 'Response times',
    /** Half of the answers are faster. */
    typical: 'Typical response time',
    responseNote:
      'The time in which so many of 100 calls were answered, without the way through the network. A call fails if the service could not answer it.',
    kinds: { read: 'When apps read data', token: 'When apps get or renew access' },
    failed: 'Failed',
    outages: 'Outages',
    none: 'There was no outage in this time.',
    until: (from: ComponentChildren, to: ComponentChildren) => (
      <>
        {from} to {to}
      </>
    ),
    ongoing: (from: ComponentChildren) => <>Since {from}</>,
    note: (seconds: number) =>
      `Each server reports every ${seconds} seconds. If none does, it is an outage, from the last report to the next one. Shorter interruptions may not be seen. Days and months are in UTC.`,
    json: 'The same figures for programs (JSON)',
  },
}
