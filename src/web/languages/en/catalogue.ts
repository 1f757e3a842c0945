import { account } from './account.tsx'
import { connect } from './connect.tsx'
import { factors } from './factors.tsx'
import { general } from './general.ts'
import { login } from './login.tsx'
import { password } from './password.ts'

/** The English texts of all pages. Their type is the shape of every catalogue: a missing translation does not compile. */
export const en = { ...general, ...login, ...connect, ...account, ...password, ...factors }

export type Catalogue = typeof en
