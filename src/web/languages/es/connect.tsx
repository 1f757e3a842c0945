import type { Catalogue } from '../en/catalogue.ts'

export const connect: Pick<Catalogue, 'connect'> = {
  connect: {
    heading: (partner, brand) => (
      <>
        ¿Conectar {partner} a su cuenta de {brand}?
      </>
    ),
    switchUser: '¿No es usted?',
    again: 'Esta aplicación ya está conectada. Conectarla de nuevo no cambia lo que puede ver.',
    sees: (partner) => <>{partner} podrá ver</>,
    households: {
      one: (amount) => <>{amount} hogar</>,
      other: (amount) => <>{amount} hogares</>,
    },
    more: {
      one: (amount) => <>{amount} más</>,
      other: (amount) => <>{amount} más</>,
    },
    seeAll: 'Ver todos',
    accounts: {
      one: (amount) => <>{amount} cuenta activa</>,
      other: (amount) => <>{amount} cuentas activas</>,
    },
    moreAccounts: (amount) => <>Más de {amount} cuentas activas</>,
    fields: 'Nombre, tipo, número enmascarado, custodio, moneda, fecha de apertura',
    follows: 'Es lo que usted puede ver ahora. Si más adelante puede ver más o menos, la aplicación también.',
    cannot: 'No podrá',
    see: 'ver saldos, movimientos, su correo electrónico ni su contraseña',
    change: 'cambiar ni mover nada',
    noEnd: 'Hasta que usted la desconecte, o hasta que pasen 30 días sin uso.',
    ends: (date, days) => (
      <>
        Hasta el {date} ({days}), salvo que la renueve. Termina antes si pasan 30 días sin uso.
      </>
    ),
    days: {
      one: (amount) => <>{amount} día</>,
      other: (amount) => <>{amount} días</>,
    },
    howToEnd: (connections) => (
      <>
        Desconéctela en cualquier momento en <a href={connections}>sus aplicaciones conectadas</a>. Pierde el
        acceso de inmediato, y conserva lo que ya ha leído.
      </>
    ),
    returnTo: (host) => <>Usted volverá a {host}.</>,
    privacyPolicy: (partner) => <>Política de privacidad de {partner}</>,
    cancel: 'Cancelar',
    submit: 'Conectar',
    householdsPage: {
      heading: (partner) => <>Hogares que {partner} podría ver</>,
      none: 'Por ahora usted no puede ver ningún hogar.',
      position: (first, last, all) => (
        <>
          De {first} a {last} de {all}
        </>
      ),
      pages: 'Páginas',
      previous: 'Página anterior',
      next: 'Página siguiente',
      back: 'Volver a la pregunta',
    },
    suspended: {
      heading: 'Esta aplicación está suspendida',
      text: 'Por ahora no puede conectarla. Inténtelo más tarde o contacte con el soporte de la aplicación.',
    },
    differentUser: {
      heading: 'Esta página pertenece a otra sesión',
      text: 'Su sesión ha cambiado desde que se abrió esta página. No se ha conectado nada. Para conectar la aplicación, vuelva a empezar.',
    },
    alreadyUsed: {
      heading: 'Esta página ya se ha utilizado',
      text: 'Usted ya pulsó «Conectar» aquí, y solo funciona una vez. Para conectar de nuevo la aplicación, vuelva a empezar.',
    },
    expired: {
      heading: 'Esta página ya no es válida',
      text: 'Estuvo abierta más de diez minutos. No se ha conectado nada. Para conectar la aplicación, vuelva a empezar.',
    },
    invalid: {
      heading: 'Este enlace no funciona',
      text: 'Está incompleto o se ha modificado. Vuelva a la aplicación que quiere conectar y empiece de nuevo.',
    },
    startAgain: 'Volver a empezar',
  },
}
