import type { Catalogue } from '../en/catalogue.ts'

export const password: Pick<Catalogue, 'password'> = {
  password: {
    heading: 'Contraseña',
    intro:
      'Al cambiar la contraseña, se cierra su sesión en todos los demás navegadores. Sus aplicaciones siguen conectadas.',
    current: 'Contraseña actual',
    new: 'Contraseña nueva',
    rule: (characters) =>
      `Al menos ${characters} caracteres. Cuatro palabras sin relación entre sí son fáciles de recordar y difíciles de adivinar.`,
    change: 'Cambiar la contraseña',
    changed:
      'Su contraseña se ha cambiado. Su sesión se ha cerrado en todos los demás navegadores. Sus aplicaciones siguen conectadas.',
    missing: {
      atProvider:
        'Aquí no tiene contraseña. Inicia sesión con la cuenta de su organización, y es allí donde cambia su contraseña.',
      notSet: 'Aquí no tiene contraseña.',
      byMail: (email) => (
        <>Si quiere iniciar sesión con una, le enviamos a {email} un enlace para establecerla.</>
      ),
      fromSupport: (support) => <>Si quiere iniciar sesión con una, contacte con {support}.</>,
      support: 'soporte',
    },
    rejectedPassword: {
      too_short: (characters) =>
        `La contraseña nueva es demasiado corta. Use al menos ${characters} caracteres.`,
      too_long: 'La contraseña nueva es demasiado larga. Use una más corta.',
      more_than_one_line: 'La contraseña nueva contiene un salto de línea. Quítelo.',
      contains_personal:
        'La contraseña nueva contiene su nombre, su dirección de correo o el nombre de este servicio. Los atacantes los prueban primero. No los use.',
      common:
        'Muchas personas usan la contraseña nueva, por eso los atacantes la prueban primero. Use cuatro palabras sin relación entre sí.',
      pattern:
        'La contraseña nueva es fácil de adivinar: se repite o sigue un patrón, por ejemplo una fila de teclas o una fecha. Use cuatro palabras sin relación entre sí.',
      few_words:
        'La contraseña nueva es fácil de adivinar: consta de pocas palabras comunes. Añada palabras sin relación entre sí.',
    },
    wrongCurrentPassword: 'La contraseña actual no es correcta.',
  },
}
