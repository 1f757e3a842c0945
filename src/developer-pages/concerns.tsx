import type { ComponentChildren } from 'preact'
import { AttentionList } from '../panel/attention.tsx'
import { counted, Exact, When } from '../panel/page-parts.tsx'
import type { Concern } from './overview.sql.ts'
import { appAddress } from './shell.tsx'

/** The most urgent first. */
const urgency: Concern['kind'][] = [
  'suspended',
  'no_credentials',
  'webhook_disabled',
  'refused_refreshes',
  'webhook_failing',
  'limits',
  'old_secret',
  'api_key',
  'deprecated',
  'ending_consents',
]

export function Concerns(props: { clientId: string; concerns: Concern[]; sunsetOn: Date | undefined }) {
  const sorted = props.concerns.toSorted((a, b) => urgency.indexOf(a.kind) - urgency.indexOf(b.kind))
  return (
    <AttentionList
      items={sorted.map((concern) => {
        const { page, text, remedy } = descriptions[concern.kind](concern, props.sunsetOn)
        return {
          key: `${concern.kind} ${concern.id}`,
          href: appAddress(props, `/${page}`),
          text,
          remedy,
        }
      })}
    />
  )
}

type Described = { page: string; text: ComponentChildren; remedy: ComponentChildren }

const descriptions: Record<Concern['kind'], (concern: Concern, sunsetOn: Date | undefined) => Described> = {
  suspended: () => ({
    page: 'application',
    text: 'The operator has suspended this application',
    remedy: 'All its requests are refused. Contact the operator.',
  }),
  no_credentials: () => ({
    page: 'credentials',
    text: 'This application has no client secret yet',
    remedy: 'Its token requests are refused. Make one, and put it into your servers.',
  }),
  webhook_disabled: ({ id, name, amount }) => ({
    page: `webhooks/${id}`,
    text: (
      <>
        A webhook is disabled: <bdi>{name}</bdi>
      </>
    ),
    remedy: `${counted(amount, 'event waits', 'events wait')} for 30 days at most. Repair the receiver, then enable the webhook.`,
  }),
  webhook_failing: ({ id, name, amount, at }) => ({
    page: `webhooks/${id}`,
    text: (
      <>
        A webhook fails: <bdi>{name}</bdi>
      </>
    ),
    remedy: (
      <>
        {counted(amount, 'event waits', 'events wait')}; the first attempt failed <When at={at} />. Its
        messages say why.
      </>
    ),
  }),
  refused_refreshes: ({ amount, at }) => ({
    page: 'requests?status=4xx&period=24h',
    text: `${counted(amount, 'refresh', 'refreshes')} refused in the last day`,
    remedy: (
      <>
        The first was refused in the hour from <Exact at={at} />. The request log says why each was refused,
        and whether its user must connect again.
      </>
    ),
  }),
  limits: ({ amount }) => ({
    page: 'requests?status=429',
    text: `${counted(amount, 'call')} over a limit in the last day`,
    remedy: 'Wait for Retry-After before you call again, or ask the operator for a higher limit.',
  }),
  old_secret: () => ({
    page: 'credentials',
    text: 'An old client secret still works',
    remedy: 'End it when all your servers use the new one.',
  }),
  api_key: ({ name, at }) => ({
    page: 'credentials#api-keys',
    text: (
      <>
        The developer key <bdi>{name}</bdi> expires soon, or has expired
      </>
    ),
    remedy: (
      <>
        Make a new one and change the program over. End: <Exact at={at} />.
      </>
    ),
  }),
  deprecated: ({ amount }, sunsetOn) => ({
    page: 'deprecated',
    text: `${counted(amount, 'call')} of a deprecated operation in the last week`,
    remedy: sunsetOn ? (
      <>
        It ends: <Exact at={sunsetOn} />. Change over before.
      </>
    ) : (
      'Change over to its successor.'
    ),
  }),
  ending_consents: ({ amount, at }) => ({
    page: 'grants',
    text: `${counted(amount, 'consent ends', 'consents end')} in the next two weeks`,
    remedy: (
      <>
        The first: <Exact at={at} />. A user renews it on the page Connected apps, or by connecting again.
      </>
    ),
  }),
}
