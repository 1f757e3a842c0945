import { type CryptoKey, exportJWK, generateKeyPair, importJWK } from 'jose'
import {
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretJwt,
  ClientSecretPost,
  PrivateKeyJwt,
} from 'openid-client'
import type { SigningAlgorithm } from '../keys/signing-keys.ts'
import type { SecretKeys } from '../secrets/derived-keys.ts'
import { openStored, sealStored } from '../secrets/stored-secret.ts'
import { randomId } from '../secrets/token-format.ts'
import type { Provider } from './providers.sql.ts'

/** As the database stores it. */
export type StoredCredential = { sealed: string; publicJwk: string | null }

/** A new key pair for `private_key_jwt`. The private key never leaves the deployment. */
export async function newClientKey(keys: SecretKeys, algorithm: SigningAlgorithm): Promise<StoredCredential> {
  const pair = await generateKeyPair(algorithm, { extractable: true })
  const published = { ...(await exportJWK(pair.publicKey)), kid: randomId(), alg: algorithm, use: 'sig' }
  return {
    sealed: sealStored(keys, JSON.stringify(await exportJWK(pair.privateKey))),
    publicJwk: JSON.stringify(published),
  }
}

export function clientSecret(keys: SecretKeys, secret: string): StoredCredential {
  return { sealed: sealStored(keys, secret), publicJwk: null }
}

/**
 * How requests to the provider's token endpoint authenticate.
 * @throws {UnreadableSecret} if the credential was sealed under a secret that is not configured
 */
export async function clientAuth(
  keys: SecretKeys,
  { auth_method: method, credential, public_jwk: publicJwk }: Provider,
): Promise<ClientAuth> {
  const opened = openStored(keys, credential)
  switch (method) {
    case 'client_secret_basic':
      return ClientSecretBasic(opened)
    case 'client_secret_post':
      return ClientSecretPost(opened)
    case 'client_secret_jwt':
      return ClientSecretJwt(opened)
    case 'private_key_jwt': {
      const key: CryptoKey | Uint8Array = await importJWK(JSON.parse(opened), publicJwk?.alg)
      if (key instanceof Uint8Array || !publicJwk) throw new Error('the stored key is not a private key')
      return PrivateKeyJwt({ key, kid: publicJwk.kid })
    }
  }
}
