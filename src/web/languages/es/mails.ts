import type { Catalogue } from '../en/catalogue.ts'

export const mails: Pick<Catalogue, 'mails'> = {
  mails: {
    greeting: (name) => `Hola, ${name}:`,
    automatic: (brand) => `${brand} ha enviado este correo automáticamente.`,
    support: 'Ayuda y contacto',
    connected: {
      subject: (partner) => `Ha conectado ${partner}`,
      text: (partner, brand, at) =>
        `Ha conectado ${partner} a su cuenta de ${brand} el ${at}. ${partner} puede ver ahora los hogares que usted puede ver y sus cuentas activas.`,
      notYou: 'Si no ha sido usted, desconecte la aplicación y cambie su contraseña.',
      link: 'Aplicaciones conectadas',
    },
    connectionEnds: {
      subject: (partner) => `${partner} perderá pronto el acceso`,
      text: (partner, until) =>
        `Su conexión con ${partner} termina el ${until}. Después, la aplicación ya no podrá ver sus hogares ni sus cuentas.`,
      toRenew:
        'Si la aplicación debe conservar el acceso, renueve la conexión en la página siguiente. De lo contrario, no tiene que hacer nada.',
      link: 'Aplicaciones conectadas',
    },
    leaked: {
      subject: (partner) => `Una clave de ${partner} se hizo pública`,
      text: (partner, at) =>
        `El ${at} supimos que una clave con la que ${partner} lee sus hogares y cuentas estaba en un lugar público. Es posible que otra persona la haya utilizado.`,
      ended: {
        access: (partner) =>
          `Hemos sustituido la clave. ${partner} sigue conectada y usted no tiene que hacer nada.`,
        connection: (partner) =>
          `Hemos desconectado ${partner} de su cuenta de inmediato. Si desea seguir usándola, vuelva a conectarla.`,
      },
      link: 'Aplicaciones conectadas',
    },
    passwordChanged: {
      subject: (brand) => `Su contraseña de ${brand} se ha cambiado`,
      text: {
        user: (at) =>
          `Ha cambiado su contraseña el ${at}. Su sesión se ha cerrado en todos los demás navegadores.`,
        operator: (at) =>
          `El operador de este servicio ha establecido su contraseña el ${at}. Su sesión se ha cerrado en todos los navegadores.`,
        link: (at) =>
          `Su contraseña se ha establecido el ${at} con el enlace que le enviamos. Su sesión se ha cerrado en todos los navegadores.`,
      },
      notYou:
        'Si no ha sido usted, es posible que alguien tenga acceso a su cuenta. Establezca una contraseña nueva cuanto antes.',
      link: 'Establecer una contraseña nueva',
    },
    factorsChanged: {
      subject: (brand) => `El inicio de sesión en su cuenta de ${brand} ha cambiado`,
      text: {
        passkey_added: (at) => `Se ha añadido una llave de acceso a su cuenta el ${at}.`,
        passkey_removed: (at) => `Se ha quitado una llave de acceso de su cuenta el ${at}.`,
        totp_added: (at) => `Se ha configurado una aplicación de autenticación para su cuenta el ${at}.`,
        totp_removed: (at) => `Se ha quitado la aplicación de autenticación de su cuenta el ${at}.`,
        reset: (at) =>
          `El operador de este servicio ha quitado sus llaves de acceso, su aplicación de autenticación y sus códigos de recuperación el ${at}. Su sesión se ha cerrado en todos los navegadores.`,
      },
      notYou:
        'Si no quería este cambio, es posible que alguien tenga acceso a su cuenta. Revise la página siguiente y cambie la contraseña con la que inicia sesión.',
      link: 'Seguridad de su cuenta',
    },
    newBrowser: {
      subject: (brand) => `Nuevo inicio de sesión en su cuenta de ${brand}`,
      text: (browser, at) =>
        `Alguien ha iniciado sesión en su cuenta el ${at}, en un navegador que no reconocemos: ${browser}.`,
      notYou: 'Si ha sido usted, no tiene que hacer nada. Si no, cierre esa sesión y cambie su contraseña.',
      link: 'Sus sesiones',
    },
    passwordReset: {
      subject: (brand) => `Contraseña nueva para ${brand}`,
      text: (minutes) =>
        `Con este enlace puede establecer una contraseña nueva. Funciona una sola vez, durante los próximos ${minutes} minutos.`,
      notYou: 'Si no lo ha pedido, ignore este correo. Su contraseña no cambia.',
      link: 'Establecer una contraseña nueva',
    },
    noPassword: {
      subject: (brand) => `Cómo iniciar sesión en ${brand}`,
      text: (brand) =>
        `Alguien ha pedido una contraseña nueva para su cuenta. Usted no tiene contraseña en ${brand}: inicia sesión con la cuenta de su organización.`,
      notYou: 'Si no lo ha pedido, ignore este correo.',
      link: 'Iniciar sesión',
    },
    invitation: {
      subject: (brand) => `Su contraseña de ${brand}`,
      text: (brand, until) =>
        `Podrá iniciar sesión en ${brand} en cuanto establezca su contraseña. Este enlace funciona una sola vez, hasta el ${until}.`,
      link: 'Establecer su contraseña',
    },
    developerInvited: {
      subject: (partner) => `Usted forma parte de los desarrolladores de ${partner}`,
      text: (partner, brand, until) =>
        `Podrá trabajar en la aplicación ${partner} en ${brand} en cuanto configure su cuenta. Este enlace funciona una sola vez, hasta el ${until}.`,
      link: 'Configurar su cuenta',
    },
    developerAdded: {
      subject: (partner) => `Usted forma parte de los desarrolladores de ${partner}`,
      text: (partner, brand) =>
        `Ya puede trabajar en la aplicación ${partner} en ${brand}. Inicie sesión con su cuenta.`,
      notYet: 'Si todavía no ha configurado su cuenta, use el enlace de la invitación que ya recibió.',
      link: 'Páginas para desarrolladores',
    },
    webhookDisabled: {
      subject: (partner) => `Los webhooks de ${partner} están desactivados`,
      text: {
        failing: (partner, host) =>
          `Desde hace cinco días no se ha podido entregar ningún evento de ${partner} a ${host}. Por eso, este punto de conexión está desactivado.`,
        gone: (partner, host) =>
          `${host} respondió a un evento de ${partner} con el estado 410 Gone. Por eso, este punto de conexión está desactivado.`,
      },
      toEnable:
        'Los eventos nuevos esperan hasta 30 días. Repare el receptor y active después el punto de conexión en la página siguiente. Allí también puede volver a enviar los eventos abandonados.',
      link: 'Ver los webhooks',
    },
  },
}
