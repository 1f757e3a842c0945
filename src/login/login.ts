import Type, { type Static } from '../typebox.ts'

/** What a session keeps of a login through an identity provider. */
const ProviderLogin = Type.Object({
  id: Type.String(),
  /** The user's account at the provider. */
  sub: Type.String(),
  /** The session at the provider. Null if the provider does not name it. */
  sid: Type.Union([Type.String(), Type.Null()]),
  /** When the user authenticated at the provider, in milliseconds since the epoch. Null if the provider does not say. */
  authTime: Type.Union([Type.Number(), Type.Null()]),
  /** Sealed: the provider's logout needs it. Null if it is too long to be kept. */
  idToken: Type.Union([Type.String(), Type.Null()]),
})

/** A user who has proved who they are, and how. */
export const Login = Type.Object({
  userId: Type.String(),
  /** The user's address. An account knows a browser by it (`proofKey`). */
  email: Type.String(),
  /** The user's `login_version` when the proof was checked. If it has changed since, the session is not live. */
  loginVersion: Type.String(),
  /** `acr` and `amr` (RFC 8176) of the id_token. */
  acr: Type.String(),
  amr: Type.Array(Type.String()),
  /** Absent: the user has authenticated here, just now. */
  provider: Type.Optional(ProviderLogin),
})
export type Login = Static<typeof Login>
