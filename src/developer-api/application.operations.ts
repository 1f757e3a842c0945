import { createdResponse, jsonResponse } from '../management/operation.ts'
import { closed } from '../management/page.ts'
import {
  NewKeys,
  NewSecret,
  partnerFields,
  partnerSettings,
  pictureLimit,
  removableSettings,
} from '../management/partner-fields.ts'
import { oneOf } from '../management/schemas.ts'
import Type from '../typebox.ts'
import { describeRoute } from './developer-edge.ts'

const tag = 'Application'
const { limits: _, logo: __, ...fields } = partnerFields

const application = {
  ...fields,
  logo: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'The address of its logo. Null: it has none.',
  }),
  environment: oneOf(['sandbox', 'production'], 'The environment of this application.'),
}

const Application = Type.Object(application, { $id: 'Application', description: 'Your application.' })

const ApplicationWithSecret = Type.Object(
  {
    ...application,
    client_secret: Type.Optional(
      Type.String({
        description: 'The new secret. It is shown only this once, and not to a repeated request.',
      }),
    ),
  },
  { $id: 'ApplicationWithSecret', description: 'Your application, with its new secret.' },
)

const { redirect_uris, post_logout_redirect_uris, require_pkce } = partnerSettings
const { site, logo, privacy_url, description } = removableSettings

const ApplicationChanges = closed(
  {
    redirect_uris: Type.Optional(redirect_uris),
    post_logout_redirect_uris: Type.Optional(post_logout_redirect_uris),
    require_pkce: Type.Optional(require_pkce),
    ...{ site, logo, privacy_url, description },
  },
  { $id: 'ApplicationChanges', description: 'Settings to change. An absent one stays as it is.' },
)

export const getApplicationRoute = describeRoute({
  method: 'GET',
  url: '/application',
  role: 'viewer',
  operation: {
    operationId: 'getApplication',
    tag,
    summary: 'Show the application',
    description: 'All settings. Never the secrets.',
    responses: { 200: jsonResponse(Application, 'The application.') },
  },
})

export const updateApplicationRoute = describeRoute({
  method: 'PATCH',
  url: '/application',
  role: 'developer',
  schema: { body: ApplicationChanges },
  bodyLimit: pictureLimit,
  operation: {
    operationId: 'updateApplication',
    tag,
    summary: 'Change the application',
    description:
      'Changes what the body names; lists are replaced. Redirect URIs take effect with the next authorization request: users who are connecting at this moment may get an error page if their address is removed. The name, the limits and the authentication methods are changed by the operator.',
    responses: { 200: jsonResponse(Application, 'The changed application.') },
    problems: [409],
  },
})

export const rotateSecretRoute = describeRoute({
  method: 'POST',
  url: '/application/secrets',
  role: 'developer',
  schema: { body: NewSecret },
  creates: true,
  operation: {
    operationId: 'rotateSecret',
    tag,
    summary: 'Get a new client secret',
    description:
      'The secret is shown only this once. The previous one stays live until the next rotation, or until `endOldSecret`, so that you can change over without downtime.',
    responses: { 201: createdResponse(ApplicationWithSecret, 'The application with its new secret.') },
    problems: [409],
  },
})

export const endOldSecretRoute = describeRoute({
  method: 'DELETE',
  url: '/application/secrets/old',
  role: 'developer',
  operation: {
    operationId: 'endOldSecret',
    tag,
    summary: 'End the old client secret',
    description: 'After a rotation: from the next request on, only the newest secret is accepted.',
    responses: { 200: jsonResponse(Application, 'The application.') },
    problems: [409],
  },
})

export const replaceKeysRoute = describeRoute({
  method: 'PUT',
  url: '/application/keys',
  role: 'developer',
  schema: { body: NewKeys },
  operation: {
    operationId: 'replaceKeys',
    tag,
    summary: 'Replace the public keys',
    description:
      'For an application that authenticates with `private_key_jwt`. All keys are replaced at once: send the old and the new one while you change over.',
    responses: { 200: jsonResponse(Application, 'The application.') },
  },
})
