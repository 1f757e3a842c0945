import type { Catalogue } from '../en/catalogue.ts'

export const recovery: Pick<Catalogue, 'recovery'> = {
  recovery: {
    forgotten: '¿Ha olvidado su contraseña?',
    support: '¿No puede iniciar sesión? Contacte con soporte',
    request: {
      intro:
        'Escriba su dirección de correo electrónico. Le enviaremos un enlace para establecer una contraseña nueva.',
      submit: 'Enviarme un enlace',
    },
    requested: {
      heading: 'Revise su correo',
      text: (minutes) =>
        `Si existe una cuenta con esta dirección, le hemos enviado un correo. Su enlace funciona una sola vez, durante los próximos ${minutes} minutos.`,
      nothing:
        '¿No ha llegado nada? Mire en la carpeta de correo no deseado y compruebe la dirección. Si ha pedido varios enlaces, solo funciona el más reciente.',
    },
    unavailable: 'Este servicio no puede enviar correos. Pida una contraseña nueva a soporte.',
    backToLogin: 'Volver al inicio de sesión',
    choose: {
      heading: 'Establezca su contraseña',
      account: (email) => <>Para la cuenta {email}.</>,
      submit: 'Establecer la contraseña',
      otherLink:
        'No se ha establecido su contraseña, porque entretanto se ha abierto otro enlace en este navegador. Compruebe que esta es la cuenta correcta y vuelva a introducir la contraseña.',
    },
    done: {
      heading: 'Su contraseña está establecida',
      text: 'Sus demás sesiones se han cerrado. Ya puede iniciar sesión con la contraseña nueva.',
      signIn: 'Iniciar sesión',
    },
    dead: {
      heading: 'Este enlace ya no funciona',
      text: 'Un enlace funciona una sola vez y por tiempo limitado. También deja de funcionar con un enlace más reciente o al cambiar la contraseña.',
      again: 'Recibir un enlace nuevo',
    },
  },
}
