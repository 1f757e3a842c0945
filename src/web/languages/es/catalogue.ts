import type { Catalogue } from '../en/catalogue.ts'
import { account } from './account.tsx'
import { connect } from './connect.tsx'
import { factors } from './factors.tsx'
import { front } from './front.tsx'
import { general } from './general.ts'
import { idp } from './idp.tsx'
import { login } from './login.tsx'
import { mails } from './mails.ts'
import { password } from './password.tsx'
import { recovery } from './recovery.tsx'
import { status } from './status.tsx'

export const es: Catalogue = {
  ...general,
  ...front,
  ...login,
  ...idp,
  ...connect,
  ...account,
  ...password,
  ...factors,
  ...recovery,
  ...mails,
  ...status,
}
