import type { Catalogue } from '../en/catalogue.ts'

export const connect: Pick<Catalogue, 'connect'> = {
  connect: {
    heading: (partner) => <>¿Conectar {partner}?</>,
    who: {
      term: 'Quién lo solicita',
      text: (partner, host) => (
        <>
          {partner}, una aplicación en {host}. Después volverá usted allí.
        </>
      ),
    },
    what: {
      term: 'Qué puede ver',
      text: 'Los hogares que usted puede ver y sus cuentas activas. No puede cambiar ni mover nada, y nunca recibe su contraseña.',
    },
    howLong: {
      term: 'Durante cuánto tiempo',
      text: 'Hasta que usted la desconecte. Si la aplicación no usa la conexión durante 30 días, tendrá que pedírselo de nuevo.',
    },
    howToEnd: {
      term: 'Cómo desconectarla',
      text: (connections) => (
        <>
          En cualquier momento, en <a href={connections}>sus aplicaciones conectadas</a>. La aplicación pierde
          el acceso de inmediato.
        </>
      ),
    },
    cancel: 'Cancelar',
    submit: 'Conectar',
    switchUser: '¿No es usted? Iniciar sesión como otra persona',
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
