import { closed } from '../management/page.ts'
import {
  idTokenAlgorithms,
  limitFields,
  partnerFields,
  partnerSettings,
  removableSettings,
} from '../management/partner-fields.ts'
import { oneOf } from '../management/schemas.ts'
import Type from '../typebox.ts'

export const NewPartner = closed(
  {
    name: partnerSettings.name,
    redirect_uris: partnerSettings.redirect_uris,
    client_id: Type.Optional(
      Type.String({
        description: 'Takes over a partner of another service, which keeps its client_id. Absent: a new one.',
      }),
    ),
    secret_hash: Type.Optional(
      Type.String({
        pattern: '^.{1,200}$',
        description:
          'With `client_id`, the partner keeps its secret: `sha256:` and the SHA-256 of the secret in hexadecimal. The secret must have at least 22 characters. Absent: it gets a new one.',
      }),
    ),
    require_pkce: Type.Optional(partnerSettings.require_pkce),
    auth_methods: Type.Optional(partnerSettings.auth_methods),
    jwks: Type.Optional(partnerSettings.jwks),
    id_token_alg: Type.Optional(oneOf(idTokenAlgorithms, 'What signs its id_tokens. Default: RS256.')),
    id_token_on_refresh: Type.Optional(partnerSettings.id_token_on_refresh),
    post_logout_redirect_uris: Type.Optional(partnerSettings.post_logout_redirect_uris),
    limits: Type.Optional(limitFields('integer', 'Limits. An absent one is that of the deployment.')),
    ...removableSettings,
  },
  { $id: 'NewPartner', description: 'A partner to register.' },
)

export const PartnerChanges = closed(
  {
    name: Type.Optional(partnerSettings.name),
    redirect_uris: Type.Optional(partnerSettings.redirect_uris),
    post_logout_redirect_uris: Type.Optional(partnerSettings.post_logout_redirect_uris),
    require_pkce: Type.Optional(partnerSettings.require_pkce),
    auth_methods: Type.Optional(partnerSettings.auth_methods),
    jwks: Type.Optional(partnerSettings.jwks),
    id_token_on_refresh: Type.Optional(partnerSettings.id_token_on_refresh),
    limits: Type.Optional(limitFields(['integer', 'null'], 'Limits to change. Null removes one.')),
    ...removableSettings,
  },
  { $id: 'PartnerChanges', description: 'Settings to change. An absent one stays as it is.' },
)

export const Partner = Type.Object(partnerFields, { $id: 'Partner', description: 'A partner application.' })

export const PartnerWithSecret = Type.Object(
  {
    ...partnerFields,
    client_secret: Type.Optional(
      Type.String({
        description: 'A new secret. It is shown only this once, and not to a repeated request.',
      }),
    ),
  },
  { $id: 'PartnerWithSecret', description: 'A partner, with its secret if it has just got one.' },
)

export const Consequences = Type.Object(
  {
    client_id: partnerFields.client_id,
    name: partnerSettings.name,
    connected_users: Type.Integer({ description: 'Users whose consent a deletion ends.' }),
    connections: Type.Integer({ description: 'Their connections, each with its tokens.' }),
  },
  { $id: 'PartnerDeletion', description: 'What the deletion of a partner ends.' },
)
