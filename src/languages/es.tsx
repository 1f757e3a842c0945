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
      client: 'Falta una parte o no es como debería ser.',
      unavailable: 'El servicio no puede responder en este momento; inténtelo de nuevo en un instante.',
      internal: 'Algo ha fallado por nuestra parte.',
    },
    tryAgain: 'Intentar de nuevo',
    toConnections: 'Ir a sus aplicaciones conectadas',
  },
  account: {
    navigation: 'Su cuenta',
    loggedInAs: (name) => <>Ha iniciado sesión como {name}.</>,
    logOut: 'Cerrar sesión',
  },
  connections: {
    heading: 'Aplicaciones conectadas',
    intro:
      'Cada una de estas aplicaciones puede leer los hogares que usted puede ver y sus cuentas activas hasta que la desconecte. La desconexión tiene efecto inmediato.',
    none: 'No hay ninguna aplicación conectada.',
    site: 'Sitio',
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
    intro:
      'Tiene la sesión iniciada en estos navegadores. Una sesión termina tras 30 minutos sin uso y, en todo caso, a las 8 horas. Si no reconoce alguna, ciérrela y cambie su contraseña.',
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
    rule: 'Al menos 8 caracteres.',
    change: 'Cambiar la contraseña',
    changed:
      'Su contraseña se ha cambiado y su sesión se ha cerrado en todos los demás navegadores. Sus aplicaciones conectadas siguen conectadas.',
    unfit: {
      too_short: 'La contraseña nueva es demasiado corta: debe tener al menos 8 caracteres.',
      too_long: 'La contraseña nueva es demasiado larga.',
      more_than_one_line: 'La contraseña nueva debe ocupar una sola línea.',
    },
    refused: 'La contraseña actual no es correcta.',
    throttled: (minutes) =>
      `Ha habido demasiados intentos. Vuelva a intentarlo en ${minutes === 1 ? '1 minuto' : `${minutes} minutos`}.`,
  },
}
