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
}

/** The `acr` value for a login with only a password. Latchkey defines it, because no standard does. */
export const passwordAcr = 'urn:latchkey:acr:password'

/** The values of `acr` that this server gives itself. A foreign identity provider may give others. */
export const acrValues = [passwordAcr]
