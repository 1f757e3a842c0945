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

/** The English texts of all pages. Their type is the shape of every catalogue: a missing translation does not compile. */
export const en = {
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

export type Catalogue = typeof en
