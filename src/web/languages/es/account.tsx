import type { Catalogue } from '../en/catalogue.ts'

export const account: Pick<Catalogue, 'account' | 'connections' | 'sessions'> = {
  account: {
    navigation: 'Su cuenta',
    loggedInAs: (name) => <>Sesión iniciada como {name}.</>,
    logOut: 'Cerrar la sesión',
  },
  connections: {
    heading: 'Aplicaciones conectadas',
    intro:
      'Estas aplicaciones pueden ver los hogares que usted puede ver y sus cuentas activas. Cuando desconecta una aplicación, esta pierde el acceso de inmediato.',
    none: 'No hay ninguna aplicación conectada.',
    howToConnect:
      'Para conectar una aplicación, ábrala y empiece desde ella. La aplicación le trae aquí, usted decide, y después esta página muestra lo que lee.',
    connected: 'Conectada',
    lastUsed: 'Último uso',
    neverUsed: 'Nunca',
    ends: 'Termina',
    noEnd: 'Cuando usted la desconecte',
    endsUnused: (at) => <>o {at} si no se usa hasta entonces</>,
    noAccess:
      'La aplicación no puede leer nada por ahora: no ha usado la conexión durante 30 días, o le ha puesto fin. Para darle acceso de nuevo, conéctela desde la aplicación.',
    renew: {
      one: (amount) => <>Renovar por {amount} día</>,
      other: (amount) => <>Renovar por {amount} días</>,
    },
    endsSoon: 'Esta conexión termina pronto. Si la aplicación debe conservar el acceso, renuévela.',
    renewWithoutEnd: 'Renovar sin límite de tiempo',
    reads: (days) => <>Lecturas de los últimos {days} días</>,
    requests: 'Solicitudes',
    households: 'Hogares',
    accounts: 'Cuentas',
    chart: (day, amount) => `Máximo de hogares y cuentas en un día: ${amount} el ${day}`,
    today: 'Hoy',
    asTable: 'Mostrar como tabla',
    day: 'Día',
    readsNote:
      'Lo que se lee dos veces cuenta dos veces. Los días son en UTC. Las lecturas nuevas aparecen al cabo de unos segundos.',
    disconnect: 'Desconectar',
    householdReads: {
      link: 'Qué hogares ha leído',
      heading: (partner) => <>Hogares que {partner} ha leído</>,
      none: 'La aplicación no ha leído ningún hogar en este tiempo.',
      household: 'Hogar',
      lastRead: 'Última lectura',
      times: 'Veces leído',
      hidden: 'Usted ya no puede verlo',
      note: 'Un hogar cuenta cada vez que la aplicación lo recibe, solo o con sus cuentas. Los días son en UTC. Las lecturas nuevas aparecen al cabo de unos segundos.',
      back: 'Volver a las aplicaciones conectadas',
    },
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
      expiry: 'porque se cumplió su plazo',
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
}
