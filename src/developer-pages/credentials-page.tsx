import type { DeveloperKeyRow } from '../developer-keys/developer-keys.sql.ts'
import { PostButton } from '../panel/forms.tsx'
import { Done, Exact, Facts, Id, Name, PageHead, Section, State, When } from '../panel/page-parts.tsx'
import { Table } from '../panel/table.tsx'
import { takesSecret } from '../partners/auth-methods.ts'
import type { ListedPartner } from '../partners/partners.sql.ts'
import { appAddress, roleNames } from './shell.tsx'

export function CredentialsPage(props: {
  partner: ListedPartner
  /** When each secret that is accepted was made, the newest first. */
  made: Date[]
  apiKeys: DeveloperKeyRow[]
  addresses: { authUrl: string; baseUrl: string }
  csrf: string
  mayWrite: boolean
  mayManageKeys: boolean
  done: string | undefined
}) {
  const { partner, made, apiKeys, addresses, csrf, mayWrite, mayManageKeys, done } = props
  const { client_id: clientId, auth_methods: methods } = partner
  const signs = methods.includes('private_key_jwt')
  const hasSecret = takesSecret(methods)
  return (
    <>
      <PageHead title="Credentials" intro="With these, your servers prove that they are your application." />
      {done && <Done>{done}</Done>}
      <section aria-label="Client">
        <Facts
          items={{
            'Client id': <Id>{clientId}</Id>,
            'Authenticates with': methods.join(', '),
            'Authorization server': <Id>{addresses.authUrl}</Id>,
            'API and tokens': <Id>{addresses.baseUrl}</Id>,
          }}
        />
      </section>
      {hasSecret && <Secrets {...{ clientId, made, csrf, mayWrite }} />}
      {signs && <PublicKeys {...{ clientId, mayWrite }} ids={partner.key_ids} />}
      <ApiKeys {...{ clientId, csrf }} keys={apiKeys} mayManage={mayManageKeys} />
    </>
  )
}

function Secrets(props: { clientId: string; made: Date[]; csrf: string; mayWrite: boolean }) {
  const { clientId, made, csrf, mayWrite } = props
  const address = appAddress({ clientId }, '/credentials')
  return (
    <Section
      id="secrets"
      title="Client secrets"
      intro="Only digests are stored: a secret is shown once, when it is made. To change over without an interruption, make a new one, put it into all your servers, then end the old one."
    >
      <Table
        caption="Client secrets, the newest first"
        rows={made.map((at, place) => ({ at, isNewest: place === 0 }))}
        keyOf={({ isNewest }) => String(isNewest)}
        empty="No secret is accepted. Make a new one."
        columns={[
          { label: 'Secret', cell: ({ isNewest }) => (isNewest ? 'the newest' : 'the one before') },
          { label: 'Made', cell: ({ at }) => <Exact at={at} /> },
          { label: 'Age', cell: ({ at }) => <When at={at} /> },
          {
            label: 'Works',
            cell: ({ isNewest }) =>
              isNewest ? (
                <State tone="ok">works</State>
              ) : (
                <>
                  <State tone="warning">works</State> until it is ended, or until the next rotation
                </>
              ),
          },
        ]}
      />
      {mayWrite && (
        <div class="form-row after">
          <a class="button" href={`${address}/secret`}>
            New secret
          </a>
          {made.length > 1 && (
            <PostButton
              action={`${address}/end-old-secret`}
              csrf={csrf}
              label="End the old secret now"
              tone="secondary danger"
            />
          )}
        </div>
      )}
    </Section>
  )
}

function PublicKeys({ clientId, ids, mayWrite }: { clientId: string; ids: string[]; mayWrite: boolean }) {
  return (
    <Section
      id="keys"
      title="Public keys"
      intro="Your servers sign with the private keys, which we never have."
    >
      <Table
        caption="Public keys"
        rows={ids}
        keyOf={(id) => id}
        empty="There is no key: your application cannot authenticate."
        columns={[{ label: 'Key id (kid)', cell: (id) => <Id>{id}</Id> }]}
      />
      {mayWrite && (
        <p class="after">
          <a class="button secondary" href={appAddress({ clientId }, '/credentials/keys')}>
            Replace the keys
          </a>
        </p>
      )}
    </Section>
  )
}

const tones = { live: 'ok', expired: 'plain', revoked: 'plain' } as const

function ApiKeys(props: { clientId: string; keys: DeveloperKeyRow[]; csrf: string; mayManage: boolean }) {
  const { clientId, keys, csrf, mayManage } = props
  const address = appAddress({ clientId }, '/api-keys')
  return (
    <Section
      id="api-keys"
      title="Developer keys"
      intro="For programs that do what these pages do, such as a deployment that rotates secrets. They read no data of users."
    >
      <Table
        caption="Developer keys"
        rows={keys}
        keyOf={({ id }) => id}
        empty="There is no developer key yet. Make one for each program that uses the developer API."
        columns={[
          { label: 'Name', cell: ({ name }) => <Name>{name}</Name> },
          { label: 'Id', cell: ({ id }) => <Id>{id}</Id> },
          { label: 'State', cell: ({ state }) => <State tone={tones[state]}>{state}</State> },
          { label: 'Role', cell: ({ role }) => roleNames[role] },
          { label: 'Expires', cell: ({ expires_at: at }) => <Exact at={at} /> },
          { label: 'Last used', cell: ({ last_used_at: at }) => <When at={at} /> },
          ...(mayManage
            ? [
                {
                  label: 'Action',
                  cell: ({ id, name, state }: DeveloperKeyRow) =>
                    state === 'revoked' ? (
                      '–'
                    ) : (
                      <PostButton
                        action={`${address}/${encodeURIComponent(id)}/revoke`}
                        csrf={csrf}
                        label="Revoke"
                        about={name}
                        tone="secondary danger"
                      />
                    ),
                },
              ]
            : []),
        ]}
      />
      {mayManage && (
        <p class="after">
          <a class="button secondary" href={`${address}/new`}>
            New developer key
          </a>
        </p>
      )}
    </Section>
  )
}
