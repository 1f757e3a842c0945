import { type LimitSettings, limitNames } from '../limit-settings.ts'
import { BarChart } from '../panel/chart.tsx'
import { limitLabels } from '../panel/limit-labels.ts'
import { amount, Figures, type FiguresColumn, MetricCard, RangeLinks } from '../panel/metrics.tsx'
import { Exact, Id, PageHead, Section } from '../panel/page-parts.tsx'
import type { Period, RangeName } from '../panel/periods.ts'
import { Table } from '../panel/table.tsx'
import {
  CallsCard,
  callFigures,
  ErrorsCard,
  LatencyCard,
  namesOf,
  RefreshesCard,
  spanOf,
} from '../panel/traffic.tsx'
import type { ListedPartner } from '../partners/partners.sql.ts'
import { PartnerLogo } from '../web/parts.tsx'
import { Concerns } from './concerns.tsx'
import type { Concern } from './overview.sql.ts'
import { appAddress } from './shell.tsx'

type ShownPeriod = Period & { live: number }
type BusiestHour = { is_token: boolean; at: Date; calls: number }

export function OverviewPage(props: {
  partner: ListedPartner
  range: RangeName
  periods: ShownPeriod[]
  /** Of all calls, in milliseconds. */
  p99: number | null
  concerns: Concern[]
  limits: LimitSettings
  busiest: BusiestHour[]
  sunsetOn: Date | undefined
  /** Where the docs are. */
  baseUrl: string
}) {
  const { partner, range, periods, p99, concerns, limits, busiest, sunsetOn, baseUrl } = props
  const { client_id: clientId, name, logo } = partner
  return (
    <>
      <PageHead
        title={
          <span class="form-row">
            <PartnerLogo name={name} logo={logo} size="list" />
            <bdi>{name}</bdi>
          </span>
        }
        intro={
          <>
            Client id <Id>{clientId}</Id>
          </>
        }
      >
        <RangeLinks address={appAddress({ clientId })} current={range} />
      </PageHead>
      <Concerns clientId={clientId} concerns={concerns} sunsetOn={sunsetOn} />
      {periods.every(({ calls, live }) => calls === 0 && live === 0) && (
        <QuickStartNotice baseUrl={baseUrl} />
      )}
      <Traffic range={range} periods={periods} p99={p99} />
      <Limits clientId={clientId} limits={limits} busiest={busiest} span={spanOf(range)} />
    </>
  )
}

/** For an application that no user has connected. */
function QuickStartNotice({ baseUrl }: { baseUrl: string }) {
  return (
    <p class="notice">
      Your application has no calls and no live grants in this time. The{' '}
      <a href={`${baseUrl}docs/quick-start`}>quick start</a> shows how to read a first household in ten
      minutes.
    </p>
  )
}

function Traffic({ range, periods, p99 }: { range: RangeName; periods: ShownPeriod[]; p99: number | null }) {
  const names = namesOf(periods, range)
  const span = spanOf(range)
  const shown = { periods, names, span }
  return (
    <section aria-label="Traffic">
      <CallsCard {...shown} none={`Your application has not called ${span}`} />
      <div class="card-grid">
        <ErrorsCard {...shown} />
        <LatencyCard {...shown} p99={p99} />
        <LiveCard {...shown} />
        <RefreshesCard {...shown} note="Connections whose users must connect again" />
      </div>
      <p class="small">Times in UTC. The last bar is still growing.</p>
      <Figures rows={periods} names={names} columns={figures} />
    </section>
  )
}

function LiveCard({ periods, names, span }: { periods: ShownPeriod[]; names: string[]; span: string }) {
  const [first, last] = [periods[0]?.live ?? 0, periods.at(-1)?.live ?? 0]
  const change = last - first
  const moved =
    change === 0
      ? 'as many as at the start'
      : `${amount(Math.abs(change))} ${change > 0 ? 'more' : 'fewer'} than at the start`
  return (
    <MetricCard id="live" title="Live grants" value={amount(last)} note={`${moved} of this time`}>
      <BarChart
        id="live"
        finding={`${amount(last)} grants live ${span}, ${moved}`}
        series={[{ label: 'live', tone: 'accent', values: periods.map(({ live }) => live) }]}
        names={names}
        format={amount}
      />
    </MetricCard>
  )
}

const figures: FiguresColumn<ShownPeriod>[] = [
  ...callFigures,
  { label: 'Live grants', cell: ({ live }) => amount(live) },
  { label: 'Refused refreshes', cell: ({ refreshRefused }) => amount(refreshRefused) },
]

function Limits(props: { clientId: string; limits: LimitSettings; busiest: BusiestHour[]; span: string }) {
  const { clientId, limits, busiest, span } = props
  const rows = limitNames.flatMap((name) => {
    const limit = limits[name]
    const use = busiest.find(
      ({ is_token: isToken }) => name === (isToken ? 'token_requests_per_minute' : 'requests_per_minute'),
    )
    return limit === undefined ? [] : [{ name, limit, use }]
  })
  return (
    <Section
      id="limits"
      title="Limits and use"
      intro={`The busiest hour ${span}, as an average for each minute of it. Ask the operator if you need more.`}
      more={{ label: 'Calls over a limit', href: appAddress({ clientId }, '/requests?status=429') }}
    >
      <Table
        caption="Limits"
        rows={rows}
        keyOf={({ name }) => name}
        empty="The operator has set no limits for this application."
        columns={[
          { label: 'Limit', cell: ({ name }) => limitLabels[name] },
          { label: 'Allowed', cell: ({ limit }) => amount(limit), isNumber: true },
          {
            label: 'Used',
            cell: ({ limit, use }) => (use ? useText(use.calls / 60, limit) : '–'),
            isNumber: true,
          },
          { label: 'Busiest hour', cell: ({ use }) => (use ? <Exact at={use.at} /> : '–') },
        ]}
      />
    </Section>
  )
}

function useText(perMinute: number, limit: number): string {
  return `${amount(perMinute)}, ${Math.round((perMinute / limit) * 100)}%`
}
