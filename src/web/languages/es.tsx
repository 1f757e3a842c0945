import type { Catalogue } from './en.tsx'

export const es: Catalogue = {
  frame: {
    sandbox: 'Entorno de pruebas',
    quoteNumber: 'Si pide ayuda, indique este número:',
  },
  errors: {
    foreignForm: {
      heading: 'Este formulario procede de otro sitio',
      text: 'Para su protección no se ha hecho nada. Si fue usted quien pulsó el botón, inténtelo de nuevo.',
    },
    staleForm: {
      heading: 'Esta página ya no está vigente',
      text: 'La página estuvo abierta demasiado tiempo o pertenece a otra sesión. Para su protección no se ha hecho nada; inténtelo de nuevo.',
    },
    noSuchPage: {
      heading: 'Esta página no existe',
      text: 'Puede que la dirección esté mal escrita o que la página se haya movido.',
    },
    unreadable: 'Esta solicitud no se puede leer',
    failed: 'Esto no ha funcionado',
    faults: {
      client:
        'Vuelva a la página de la que viene e inténtelo de nuevo. Si vuelve a ocurrir, este es el motivo:',
      unavailable: 'El servicio no puede responder en este momento; inténtelo de nuevo en un instante.',
      internal: 'Algo ha fallado por nuestra parte.',
    },
    tryAgain: 'Intentar de nuevo',
    toConnections: 'Ir a sus aplicaciones conectadas',
  },
  authorize: {
    heading: 'Esta solicitud no puede continuar',
    untrusted:
      'La solicitud de la aplicación desde la que ha llegado no es de confianza; por eso no se le ha enviado de vuelta a ella.',
    reasons: {
      repeated: (parameter) => `El parámetro ${parameter} se ha enviado más de una vez.`,
      missing: (parameter) => `Falta el parámetro ${parameter}.`,
      foreignEnvironment: (theirs, ours) => `El client_id pertenece a ${theirs}, y esto es ${ours}.`,
      unknownClient: 'El client_id no se conoce aquí.',
      suspended: 'Esta aplicación está suspendida.',
      unregisteredRedirectUri:
        'El redirect_uri no está registrado para esta aplicación; debe coincidir exactamente.',
    },
  },
  login: {
    heading: 'Iniciar sesión',
    purpose: (partner) => <>Inicie sesión para decidir si {partner} puede leer sus hogares.</>,
    email: 'Correo electrónico',
    password: 'Contraseña',
    submit: 'Iniciar sesión',
    passwordStays: 'Su contraseña se queda aquí: ninguna aplicación la recibe nunca.',
    refused: 'El correo electrónico o la contraseña no son correctos.',
    throttled: (minutes) =>
      `Ha habido demasiados intentos. Inténtelo de nuevo dentro de ${minutes} ${minutes === 1 ? 'minuto' : 'minutos'}.`,
    busy: 'Muchas personas están iniciando sesión en este momento. Inténtelo de nuevo dentro de unos segundos.',
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
      term: 'Qué puede leer',
      text: 'Los hogares que usted puede ver y sus cuentas activas. Solo lee: no puede cambiar ni mover nada, y no recibe su contraseña.',
    },
    howLong: {
      term: 'Durante cuánto tiempo',
      text: 'Hasta que usted termine la conexión. Una aplicación que no la haya usado durante 30 días debe enviarle aquí de nuevo.',
    },
    howToEnd: {
      term: 'Cómo terminarla',
      text: (connections) => (
        <>
          En cualquier momento y con efecto inmediato, en{' '}
          <a href={connections}>sus aplicaciones conectadas</a>.
        </>
      ),
    },
    cancel: 'Cancelar',
    submit: 'Conectar',
    notYou: '¿No es usted? Iniciar sesión como otra persona',
    suspended: {
      heading: 'Esta aplicación está suspendida',
      text: 'Por ahora no se puede conectar.',
    },
    notYours: {
      heading: 'Esta página no es suya',
      text: 'Se preparó para una sesión distinta de la que tiene ahora. No se ha conectado nada.',
    },
    used: {
      heading: 'Esta página ya se ha utilizado',
      text: 'Usted ya pulsó «Conectar» en ella, y solo cuenta una vez. Para conectar de nuevo, vuelva a empezar.',
    },
    expired: {
      heading: 'Esta página ya no está vigente',
      text: 'Estuvo abierta más de diez minutos. No se ha conectado nada.',
    },
    incomplete: {
      heading: 'Esta página no está completa',
      text: 'Vuelva a la aplicación que quiere conectar y empiece de nuevo desde allí.',
    },
    startAgain: 'Volver a empezar',
  },
  logout: {
    heading: '¿Cerrar la sesión?',
    who: (partner) => <>{partner} le pide que cierre su sesión aquí.</>,
    appsStay: 'Sus aplicaciones siguen conectadas: solo termina la sesión de este navegador.',
    stay: 'Seguir con la sesión abierta',
    done: {
      heading: 'Su sesión está cerrada',
      text: 'Puede cerrar esta página.',
    },
    refused: {
      heading: 'Su sesión no se ha cerrado',
      text: 'La solicitud de la aplicación de la que viene no es de confianza. Por eso no se ha hecho nada ni se le ha enviado de vuelta a ella. Puede cerrar la sesión desde la página de sus aplicaciones conectadas.',
    },
  },
  account: {
    navigation: 'Su cuenta',
    loggedInAs: (name) => <>Ha iniciado sesión como {name}.</>,
    logOut: 'Cerrar la sesión',
  },
  connections: {
    heading: 'Aplicaciones conectadas',
    intro:
      'Cada una de estas aplicaciones puede leer los hogares que usted puede ver y sus cuentas activas hasta que la desconecte. La desconexión tiene efecto inmediato.',
    none: 'No hay ninguna aplicación conectada.',
    site: 'Sitio web',
    connected: 'Conectada',
    lastUsed: 'Último uso',
    neverUsed: 'Aún sin usar',
    reads: 'Lecturas de los últimos 30 días',
    requests: 'Solicitudes',
    households: 'Hogares',
    accounts: 'Cuentas',
    readsNote:
      'Lo que se vuelve a leer se vuelve a contar. Los días se cuentan en UTC; las lecturas más recientes aparecen al cabo de unos segundos.',
    disconnect: 'Desconectar',
    history: 'Conexiones finalizadas',
    application: 'Aplicación',
    ended: 'Finalizada',
    endedBy: { user: 'por usted', operator: 'por el operador de este servicio' },
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
      'Una contraseña nueva cierra su sesión en todos los demás navegadores. Las aplicaciones conectadas siguen conectadas: nunca reciben su contraseña.',
    current: 'Contraseña actual',
    next: 'Contraseña nueva',
    rule: (characters) => `Al menos ${characters} caracteres.`,
    change: 'Cambiar la contraseña',
    changed:
      'Su contraseña se ha cambiado y su sesión se ha cerrado en todos los demás navegadores. Sus aplicaciones conectadas siguen conectadas.',
    unfit: {
      too_short: (characters) =>
        `La contraseña nueva es demasiado corta: debe tener al menos ${characters} caracteres.`,
      too_long: 'La contraseña nueva es demasiado larga.',
      more_than_one_line: 'La contraseña nueva debe ocupar una sola línea.',
    },
    refused: 'La contraseña actual no es correcta.',
  },
}
