import { expect, test } from 'vitest'
import { type EventDoc, eventDocs } from '../../src/webhooks/event-types.ts'
import { checkedEvents } from '../support/events.ts'

type Field = { description?: string; enum?: string[] }

const introduction = `# Events

What the service tells your webhook endpoints, and what to do then. An endpoint gets the types that it was added for. The body
of each delivery is \`{"type", "timestamp", "data"}\`; this page describes \`data\`. It never has names, addresses, accounts or
tokens.

- \`grant_id\` and \`subject\` say whom an event is about. \`subject\` is the \`sub\` of the user's \`id_token\`. A user who disconnects
  and connects again keeps the \`subject\` and gets another \`grant_id\`.
- The events of one \`grant_id\` arrive in the order in which they happened. \`grant.created\` is the first, unless the grant
  is older than your endpoint, and \`grant.revoked\` is the last.
- One ending is one event: if a grant ends, its connections have no further events.
- A user whom the operator disables keeps the grant, and no event says that the user is enabled again: see
  [disabled users](#disabled-users).
- An event may arrive twice, with the same \`webhook-id\`. After a restore of the service from a backup, what ended in the hours
  before may arrive again with another id.
- An event says that something has changed. Read the API for the current state.
`

const disabledUsers = `
## Disabled users

While a user is disabled, all tokens of the user are refused. Each live connection sends one \`connection.ended\` with the cause
\`user_disabled\`. The grant stays, so there is no \`grant.revoked\`, and changes of households send no events.

No event says that the operator has enabled the user again. You have two ways to find out:

- Keep the refresh token and try it once a day. It works again as soon as the user is enabled. After 30 days without a
  refresh, \`connection.ended\` comes again, with the cause \`expired\`: then delete the token.
- Or delete the tokens at once. When the user comes to your application, ask the user to connect again. Unless the consent has
  expired, \`grant_id\` stays the same, and there is no second \`grant.created\`.

Then read what has changed meanwhile: send the \`as_of\` of your last \`receipt\` as \`updated_since\`.`

/** The events as a page for partners. */
function guide(): string {
  const rows = eventDocs.map(
    ({ type, summary }) => `| [\`${type}\`](#${type.replaceAll(/[._]/g, '-')}) | ${summary} |`,
  )
  return [
    introduction,
    ['| Type | Sent when |', '|---|---|', ...rows].join('\n'),
    ...eventDocs.map(section),
    disabledUsers,
  ].join('\n')
}

function section({ type, summary, advice, data, example }: EventDoc): string {
  const fields = Object.entries(data.properties as Record<string, Field>).map(
    ([name, { description = '', enum: values = [] }]) =>
      `| \`${name}\` | ${description}${values.length > 0 ? ` ${values.map((value) => `\`${value}\``).join(', ')}` : ''} |`,
  )
  return `
## ${type}

${summary} ${advice}

| Field | Meaning |
|---|---|
${fields.join('\n')}

\`\`\`json
${JSON.stringify(example, null, 2)}
\`\`\``
}

test('docs/partners/events.md describes every event (--update writes it)', async () => {
  await expect(`${guide()}\n`).toMatchFileSnapshot('../../docs/partners/events.md')
})

test('each example has the described shape', () => {
  checkedEvents(eventDocs.map(({ type, example }) => ({ type, grant_id: null, data: example })))
})
