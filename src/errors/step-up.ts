import type { Entry } from './entry.ts'

const connectAgain = (acr: string) =>
  `Send the user through the authorization endpoint again, with acr_values=${acr}. The page asks only for the second factor if the user is still logged in. Then use the new access token.`

/** The problem of a partner that requires a stronger login (RFC 9470). */
export const stepUpProblems = {
  insufficient_user_authentication: {
    status: 401,
    title: 'Stronger login required',
    sentBy: ['api'],
    meaning:
      'The access token is valid, but the user connected with a weaker login than your application requires (RFC 9470). acr_values in the WWW-Authenticate header names the login that is needed.',
    retryable: false,
    retry:
      'Not with this connection: a refresh does not change how the user logged in. After the user has connected with a stronger login, use the new tokens.',
    causes: {
      two_factors_required: {
        message:
          'The user must connect again with two factors. Send acr_values=urn:latchkey:acr:two-factor to the authorization endpoint.',
        cause: 'Your application requires two factors, and the user connected with a password alone.',
        remedy: connectAgain('urn:latchkey:acr:two-factor'),
      },
      passkey_required: {
        message:
          'The user must connect again with a passkey. Send acr_values=urn:latchkey:acr:phishing-resistant to the authorization endpoint.',
        cause:
          'Your application requires a login that is resistant to phishing, and the user connected without a passkey.',
        remedy: connectAgain('urn:latchkey:acr:phishing-resistant'),
      },
    },
  },
} as const satisfies Record<string, Entry>
