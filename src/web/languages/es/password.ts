import type { Catalogue } from '../en/catalogue.ts'

export const password: Pick<Catalogue, 'password'> = {
  password: {
    heading: 'Contraseña',
    intro:
      'Al cambiar la contraseña, se cierra su sesión en todos los demás navegadores. Sus aplicaciones siguen conectadas.',
    current: 'Contraseña actual',
    new: 'Contraseña nueva',
    rule: (characters) => `Al menos ${characters} caracteres.`,
    change: 'Cambiar la contraseña',
    changed:
      'Su contraseña se ha cambiado. Su sesión se ha cerrado en todos los demás navegadores. Sus aplicaciones siguen conectadas.',
    rejectedPassword: {
      too_short: (characters) =>
        `La contraseña nueva es demasiado corta. Use al menos ${characters} caracteres.`,
      too_long: 'La contraseña nueva es demasiado larga. Use una más corta.',
      more_than_one_line: 'La contraseña nueva contiene un salto de línea. Quítelo.',
    },
    wrongCurrentPassword: 'La contraseña actual no es correcta.',
  },
}
