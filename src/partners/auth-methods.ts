/** Whether a partner with these authentication methods has a client secret. */
export function takesSecret(authMethods: string[]): boolean {
  return authMethods.some((method) => method !== 'private_key_jwt')
}
