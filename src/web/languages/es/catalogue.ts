import type { Catalogue } from '../en/catalogue.ts'
import { account } from './account.tsx'
import { connect } from './connect.tsx'
import { general } from './general.ts'
import { idp } from './idp.tsx'
import { login } from './login.tsx'
import { password } from './password.ts'

export const es: Catalogue = { ...general, ...login, ...connect, ...account, ...idp, ...password }
