import type { Catalogue } from './en.tsx'

export const es: Catalogue = {
  frame: {
    sandbox: 'Entorno de pruebas',
    supportReference: 'Referencia para soporte:',
  },
  front: {
    heading: 'Compartir sus hogares con aplicaciones',
    purpose:
      'Este servicio permite que las aplicaciones lean los hogares que usted ve. Una aplicación solo obtiene acceso si usted la conecta.',
    apps: {
      label: 'Sus aplicaciones conectadas',
      text: 'Vea qué aplicaciones tienen acceso y desconéctelas.',
    },
    docs: {
      label: 'Documentación para desarrolladores',
      text: 'Cómo conectar una aplicación y leer hogares y cuentas (en inglés).',
    },
  },
  errors: {
    crossSiteForm: {
      heading: 'Este formulario procede de otro sitio',
      text: 'Para proteger su cuenta, no hemos cambiado nada. Si fue usted quien pulsó el botón, inténtelo de nuevo.',
    },
    staleForm: {
      heading: 'Esta página ya no es válida',
      text: 'Estuvo abierta demasiado tiempo o pertenece a otra sesión. No se ha cambiado nada. Inténtelo de nuevo.',
    },
    pageNotFound: {
      heading: 'Página no encontrada',
      text: 'Compruebe la dirección. Es posible que la página se haya movido.',
    },
    malformedRequest: 'No podemos leer esta solicitud',
    serverError: 'Se ha producido un error',
    explanations: {
      client: 'Vuelva atrás e inténtelo de nuevo. Si vuelve a fallar, indique este motivo a soporte:',
      unavailable: 'El servicio no está disponible. Inténtelo de nuevo en un momento.',
      internal: 'El error es nuestro. Inténtelo de nuevo en unos minutos.',
    },
    tryAgain: 'Intentar de nuevo',
    toConnectedApps: 'Ir a sus aplicaciones conectadas',
  },
  authorize: {
    heading: 'No podemos completar esta solicitud',
    text: 'La aplicación de la que viene ha enviado una solicitud no válida; por eso no le hemos devuelto a ella. Indique este motivo al soporte de la aplicación:',
    reasons: {
      repeated: (parameter) => `Parámetro duplicado: ${parameter}.`,
      missing: (parameter) => `Falta un parámetro obligatorio: ${parameter}.`,
      wrongEnvironment: (theirs, ours) =>
        `El client_id pertenece al entorno ${theirs}. Este es el entorno ${ours}.`,
      unknownClient: 'client_id desconocido.',
      suspended: 'Esta aplicación está suspendida.',
      unregisteredRedirectUri:
        'El redirect_uri no está registrado para esta aplicación. Debe coincidir exactamente con un URI registrado.',
    },
    receivedRedirectUri: 'redirect_uri recibido:',
  },
  login: {
    heading: 'Iniciar sesión',
    purpose: (partner) => <>Inicie sesión para decidir si {partner} puede ver sus hogares.</>,
    email: 'Correo electrónico',
    password: 'Contraseña',
    submit: 'Iniciar sesión',
    passwordPrivacy: 'Las aplicaciones nunca reciben su contraseña.',
    wrongCredentials: 'Correo electrónico o contraseña incorrectos.',
    throttled: (minutes) =>
      `Demasiados intentos. Inténtelo de nuevo en ${minutes} ${minutes === 1 ? 'minuto' : 'minutos'}.`,
    busy: 'El inicio de sesión está saturado. Inténtelo de nuevo en unos segundos.',
  },
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
  logout: {
    heading: '¿Cerrar la sesión?',
    requestedBy: (partner) => <>{partner} le pide que cierre la sesión.</>,
    appsStayConnected:
      'Solo se cierra la sesión de este navegador. Sus aplicaciones conectadas siguen conectadas.',
    stayLoggedIn: 'Seguir con la sesión abierta',
    done: {
      heading: 'Su sesión está cerrada',
      text: 'Puede cerrar esta página.',
    },
    refused: {
      heading: 'No hemos cerrado su sesión',
      text: 'La aplicación de la que viene ha enviado una solicitud no válida; por eso no le hemos devuelto a ella. Para cerrar la sesión, vaya a sus aplicaciones conectadas.',
    },
  },
  account: {
    navigation: 'Su cuenta',
    loggedInAs: (name) => <>Sesión iniciada como {name}.</>,
    logOut: 'Cerrar la sesión',
  },
  connections: {
    heading: 'Aplicaciones conectadas',
    intro:
      'Estas aplicaciones pueden ver los hogares que usted puede ver y sus cuentas activas. Cuando desconecta una aplicación, esta pierde el acceso de inmediato.',
    none: 'No hay ninguna aplicación conectada. Cuando conecte una, aparecerá aquí.',
    site: 'Sitio web',
    connected: 'Conectada',
    lastUsed: 'Último uso',
    neverUsed: 'Nunca',
    reads: 'Lecturas de los últimos 30 días',
    requests: 'Solicitudes',
    households: 'Hogares',
    accounts: 'Cuentas',
    readsNote:
      'Lo que se lee dos veces cuenta dos veces. Los días son en UTC. Las lecturas nuevas aparecen al cabo de unos segundos.',
    disconnect: 'Desconectar',
    disconnectPage: {
      heading: (partner) => <>¿Desconectar {partner}?</>,
      whatEnds: (partner) => (
        <>{partner} pierde el acceso de inmediato y ya no puede ver sus hogares ni sus cuentas.</>
      ),
      whatStays: 'La aplicación conserva los datos que ya ha leído.',
      connectAgain: 'Puede volver a conectarla en cualquier momento. Empiece en la aplicación.',
    },
    history: 'Conexiones finalizadas',
    app: 'Aplicación',
    ended: 'Finalizada',
    endedBy: {
      user: 'por usted',
      operator: 'por el operador de este servicio',
      firm_changed: 'porque usted cambió de empresa',
    },
  },
  sessions: {
    heading: 'Sesiones',
    intro: (minutes, hours) =>
      `Tiene la sesión iniciada en estos navegadores. Una sesión termina tras ${minutes} minutos sin uso y, como máximo, al cabo de ${hours} horas. Si no reconoce alguna, ciérrela y cambie su contraseña.`,
    browserOn: (browser, system) => `${browser} en ${system}`,
    unknown: 'Navegador desconocido',
    current: 'Este navegador',
    loggedIn: 'Inicio de sesión',
    lastActive: 'Última actividad',
    end: 'Cerrar esta sesión',
    endOthers: 'Cerrar todas las demás sesiones',
  },
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
