import type { ComponentChildren } from 'preact'
import { AttentionList } from '../panel/attention.tsx'
import { Moment } from '../web/parts.tsx'
import type { Concern } from './overview.sql.ts'

/** What needs attention, the most urgent first. Each says what is wrong and leads to where it is put right. */
export function Concerns({ concerns }: { concerns: Concern[] }) {
  const sorted = concerns.toSorted((a, b) => urgency.indexOf(a.kind) - urgency.indexOf(b.kind))
  return (
    <AttentionList
      items={sorted.map((concern) => {
        const { href, text, remedy } = describe(concern)
        const more = isLastOfKind(sorted, concern) ? concern.total - countOf(sorted, concern) : 0
        return {
          key: `${concern.kind} ${concern.id}`,
          href,
          text,
          remedy: (
            <>
              {remedy}
              {more > 0 && ` ${more} more like this.`}
            </>
          ),
        }
      })}
    />
  )
}

const urgency: Concern['kind'][] = [
  'failing_partner',
  'refused_refreshes',
  'audit_checkpoint',
  'signing_key',
  'late_import',
  'waiting_mails',
  'api_key',
  'old_secret',
  'ending_consents',
  'unused_link',
]

function countOf(concerns: Concern[], { kind }: Concern): number {
  return concerns.filter((other) => other.kind === kind).length
}

function isLastOfKind(concerns: Concern[], concern: Concern): boolean {
  return concerns.findLast(({ kind }) => kind === concern.kind) === concern
}

type Described = { href: string; text: ComponentChildren; remedy: ComponentChildren }

type Facts = { name: ComponentChildren; count: string; when: ComponentChildren; partner: string }

const descriptions: Record<Concern['kind'], (facts: Facts) => Described> = {
  failing_partner: ({ name, count, partner }) => ({
    href: partner,
    text: (
      <>
        {name}: {count} calls refused or failed in the last day
      </>
    ),
    remedy: 'More than twice as many as the day before.',
  }),
  refused_refreshes: ({ name, count, partner }) => ({
    href: partner,
    text: (
      <>
        {name}: {count} refreshes refused in the last day
      </>
    ),
    remedy: 'The application uses refresh tokens that have ended, and its users must connect again.',
  }),
  signing_key: ({ name, when }) => ({
    href: '/admin/keys',
    text: <>The {name} signing key has no successor</>,
    remedy: <>It should have been replaced: {when}. Run latchkey doctor.</>,
  }),
  audit_checkpoint: ({ count, when }) => ({
    href: '/admin/audit',
    text: `The audit log has no signed checkpoint for ${count} changes`,
    remedy: <>The first is from {when}. Run latchkey audit verify, and look at the log of the servers.</>,
  }),
  late_import: ({ when }) => ({
    href: '/admin/imports',
    text: 'The directory was not imported as usual',
    remedy: <>Last import: {when}. Check the job that runs it.</>,
  }),
  waiting_mails: ({ count, when }) => ({
    href: '/admin/settings',
    text: `${count} mails can’t be delivered`,
    remedy: <>Several attempts have failed; the oldest is from {when}. Check the mail server.</>,
  }),
  api_key: ({ name, when }) => ({
    href: '/admin/settings',
    text: <>The API key {name} expires soon, or has expired</>,
    remedy: <>Make a new one and change the program over. End: {when}.</>,
  }),
  old_secret: ({ name, partner }) => ({
    href: partner,
    text: <>{name}: an old client secret is still accepted</>,
    remedy: 'Withdraw it when the application uses the new one.',
  }),
  ending_consents: ({ name, count, when, partner }) => ({
    href: partner,
    text: (
      <>
        {name}: {count} consents end in the next two weeks
      </>
    ),
    remedy: <>Users renew them by connecting again. The first ends {when}.</>,
  }),
  unused_link: ({ name }) => ({
    href: '/admin/settings',
    text: <>{name} has not set up their operator account</>,
    remedy: 'The link has expired. Make a new one: latchkey operator reset.',
  }),
}

function describe({ kind, id, name, amount, at }: Concern): Described {
  return descriptions[kind]({
    name: <bdi>{name}</bdi>,
    count: number.format(amount),
    when: at && <Moment at={at} language="en" relative />,
    partner: `/admin/partners/${encodeURIComponent(id)}`,
  })
}

const number = new Intl.NumberFormat('en')
