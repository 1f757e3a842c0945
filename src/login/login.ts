/** A user who has proved who they are, and how. */
export type Login = {
  userId: string
  /** The user's address. An account knows a browser by it (`proofKey`). */
  email: string
  /** The user's `login_version` when the proof was checked. If it has changed since, the session is not live. */
  loginVersion: string
  /** `acr` and `amr` (RFC 8176) of the id_token. */
  acr: string
  amr: string[]
  /** Absent: the user has authenticated here, just now. */
  provider?: ProviderLogin
}

/** What a session keeps of a login through an identity provider. */
type ProviderLogin = {
  id: string
  /** The user's account at the provider. */
  sub: string
  /** The session at the provider. Null if the provider does not name it. */
  sid: string | null
  /** When the user authenticated at the provider, in milliseconds since the epoch. Null if the provider does not say. */
  authTime: number | null
  /** Sealed: the provider's logout needs it. Null if it is too long to be kept. */
  idToken: string | null
}

/** The `acr` value for a login with only a password. Latchkey defines it, because no standard does. */
export const passwordAcr = 'urn:latchkey:acr:password'

/** The `acr` value for a login through an identity provider that names none. */
export const federatedAcr = 'urn:latchkey:acr:federated'

/** The values of `acr` that this server gives itself. A foreign identity provider may give others. */
export const acrValues = [passwordAcr]
