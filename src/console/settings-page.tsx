import type { Config } from '../config.ts'
import type { ListedFirm, ListedRole } from '../directory/requirements.sql.ts'
import { type LimitName, limitNames } from '../limit-settings.ts'
import { Checkbox, PostForm, Select } from '../panel/forms.tsx'
import { limitLabels } from '../panel/limit-labels.ts'
import { Done, Id, LongName, PageHead, Section } from '../panel/page-parts.tsx'
import { Table } from '../panel/table.tsx'
import { acrChoices } from './partner-fields.ts'
import { acrName } from './partner-page.tsx'

export function SettingsPage(props: {
  config: Config
  firms: ListedFirm[]
  roles: ListedRole[]
  isSaved: boolean
  csrf: string
  mayWrite: boolean
}) {
  const { config, firms, roles, isSaved, csrf, mayWrite } = props
  return (
    <>
      <PageHead title="Settings" />
      {isSaved && <Done>The requirement is saved. It applies to the next login and the next call.</Done>}
      <Section id="firms" title="Firms" intro="How the users of a firm log in.">
        <Table
          caption="Firms"
          rows={firms}
          keyOf={({ id }) => id}
          empty="There are no firms yet. They come with the first import."
          columns={[
            { label: 'Firm', cell: ({ name }) => <bdi>{name}</bdi> },
            { label: 'Id', cell: ({ id }) => <Id>{id}</Id> },
            {
              label: 'Requirements',
              cell: (firm) => (mayWrite ? <FirmForm firm={firm} csrf={csrf} /> : <FirmText firm={firm} />),
            },
          ]}
        />
      </Section>
      <Section id="roles" title="Roles" intro="What users see, and how strong their login must be.">
        <Table
          caption="Roles"
          rows={roles}
          keyOf={({ name }) => name}
          empty="There are no roles yet. They come with the first import."
          columns={[
            { label: 'Role', cell: ({ name }) => <bdi>{name}</bdi> },
            {
              label: 'Sees',
              cell: ({ sees }) => (sees === 'firm' ? 'all households of the firm' : 'households with access'),
            },
            {
              label: 'Weakest login',
              cell: (role) => (mayWrite ? <RoleForm role={role} csrf={csrf} /> : acrName(role.require_acr)),
            },
          ]}
        />
      </Section>
      <Configuration config={config} />
    </>
  )
}

function FirmText({ firm }: { firm: ListedFirm }) {
  return (
    <>
      {acrName(firm.require_acr)}, {firm.local_passwords ? 'passwords here' : 'no passwords here'}
    </>
  )
}

function FirmForm({ firm, csrf }: { firm: ListedFirm; csrf: string }) {
  const { id, name, require_acr: acr, local_passwords: passwords } = firm
  return (
    <PostForm action={`/admin/settings/firms/${encodeURIComponent(id)}`} csrf={csrf} class="row-form">
      <Select
        name="require_acr"
        id={`firm-${id}`}
        label={`Weakest login of ${name}`}
        value={acr ?? ''}
        choices={acrChoices}
      />
      <Checkbox name="local_passwords" label="Passwords of this server" checked={passwords} />
      <button type="submit" class="secondary">
        Save<span class="hidden"> the firm {name}</span>
      </button>
    </PostForm>
  )
}

function RoleForm({ role, csrf }: { role: ListedRole; csrf: string }) {
  const { name, require_acr: acr } = role
  return (
    <PostForm action={`/admin/settings/roles/${encodeURIComponent(name)}`} csrf={csrf} class="row-form">
      <Select
        name="require_acr"
        id={`role-${name}`}
        label={`Weakest login of ${name}`}
        value={acr ?? ''}
        choices={acrChoices}
      />
      <button type="submit" class="secondary">
        Save<span class="hidden"> the role {name}</span>
      </button>
    </PostForm>
  )
}

type Setting = { what: string; value: string; variable: string }

function Configuration({ config }: { config: Config }) {
  return (
    <Section
      id="configuration"
      title="Configuration"
      intro="Read when the server starts. To change a value, set its variable and restart. Secrets are not shown."
    >
      <Table
        caption="Configuration of this deployment"
        rows={settingsOf(config)}
        keyOf={({ variable }) => variable}
        empty=""
        columns={[
          { label: 'Setting', cell: ({ what }) => what },
          { label: 'Value', cell: ({ value }) => <bdi>{value}</bdi> },
          {
            label: 'Variable',
            cell: ({ variable }) => (
              <code class="id">
                <LongName>{variable}</LongName>
              </code>
            ),
          },
        ]}
      />
    </Section>
  )
}

const limitVariables: Record<LimitName, string> = {
  requests_per_minute: 'LATCHKEY_LIMIT_REQUESTS_PER_MINUTE',
  requests_per_user_per_minute: 'LATCHKEY_LIMIT_REQUESTS_PER_USER_PER_MINUTE',
  token_requests_per_minute: 'LATCHKEY_LIMIT_TOKEN_REQUESTS_PER_MINUTE',
  refreshes_per_connection_per_minute: 'LATCHKEY_LIMIT_REFRESHES_PER_CONNECTION_PER_MINUTE',
  expensive_reads: 'LATCHKEY_LIMIT_EXPENSIVE_READS',
}

/** Never a secret, nor an address that may contain one. */
function settingsOf(config: Config): Setting[] {
  const { admin, limits, mail, v1 } = config
  const of = (what: string, value: string | number | undefined, variable: string): Setting => ({
    what,
    value: value === undefined || value === '' ? 'not set' : String(value),
    variable,
  })
  return [
    of('Environment', config.environment, 'LATCHKEY_ENVIRONMENT'),
    of('Address of the authorization server', config.authUrl, 'LATCHKEY_AUTH_URL'),
    of('Address of the API', config.baseUrl, 'LATCHKEY_BASE_URL'),
    of('Listener', `${config.host}:${config.port}`, 'LATCHKEY_HOST, LATCHKEY_PORT'),
    of('Operations listener', `${config.opsHost}:${config.opsPort}`, 'LATCHKEY_OPS_HOST, LATCHKEY_OPS_PORT'),
    of(
      'Listener of the console',
      admin.listener ? `${admin.listener.host}:${admin.listener.port}` : 'the public one',
      'LATCHKEY_ADMIN_HOST, LATCHKEY_ADMIN_PORT',
    ),
    of('Networks of operators', admin.networks.join(', ') || 'all', 'LATCHKEY_ADMIN_NETWORKS'),
    of('Trusted proxies', config.trustedProxies.join(', ') || 'none', 'LATCHKEY_TRUSTED_PROXIES'),
    of('Database', config.databaseUrl ? 'a server' : 'the embedded one', 'DATABASE_URL'),
    of(
      'Mails',
      mail && `${mail.host}:${mail.port}, from ${mail.from.address}`,
      'LATCHKEY_SMTP_URL, LATCHKEY_MAIL_FROM',
    ),
    of('A consent is valid for (days)', config.grantLifetimeDays ?? 'no end', 'LATCHKEY_GRANT_LIFETIME_DAYS'),
    of('Read log (months)', config.readLogMonths, 'LATCHKEY_READ_LOG_MONTHS'),
    of('Request log (days)', config.requestLogDays, 'LATCHKEY_REQUEST_LOG_DAYS'),
    ...limitNames.map((name) => of(limitLabels[name], limits[name] ?? 'no limit', limitVariables[name])),
    of(
      'Failures from one source in a minute',
      config.failuresPerMinute ?? 'no limit',
      'LATCHKEY_LIMIT_FAILURES_PER_MINUTE',
    ),
    of('v1 is deprecated since', v1?.deprecatedOn.toISOString(), 'LATCHKEY_V1_DEPRECATED_ON'),
    of('v1 ends', v1?.sunsetOn?.toISOString(), 'LATCHKEY_V1_SUNSET_ON'),
    of('Log level', config.logLevel ?? 'the default', 'LATCHKEY_LOG_LEVEL'),
    of('Name on pages', config.brand.name, 'LATCHKEY_BRAND_DIR'),
  ]
}
