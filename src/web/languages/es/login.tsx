import type { Catalogue } from '../en/catalogue.ts'

export const login: Pick<Catalogue, 'authorize' | 'login' | 'logout'> = {
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
}
