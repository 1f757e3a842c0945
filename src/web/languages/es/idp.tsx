import type { Catalogue } from '../en/catalogue.ts'

export const idp: Pick<Catalogue, 'idp'> = {
  idp: {
    continueWith: (provider) => <>Continuar con {provider}</>,
    or: 'o bien',
    next: 'Continuar',
    usePassword: 'Iniciar sesión con una contraseña',
    useOtherAccount: 'Usar otra cuenta',
    unknownDomain:
      'No hay ningún inicio de sesión configurado para este correo electrónico. Compruebe la dirección o contacte con soporte.',
    unmatched: {
      heading: 'No hemos encontrado aquí ninguna cuenta suya',
      text: (provider, account) => (
        <>
          Ha iniciado sesión en {provider} como {account}, pero aquí no le corresponde ninguna cuenta.
        </>
      ),
      remedy: (provider) => (
        <>Si tiene otra cuenta en {provider}, use esa. De lo contrario, pida acceso a soporte.</>
      ),
    },
    unverified: {
      heading: 'Su correo electrónico no está confirmado',
      text: (provider, account) => (
        <>
          {provider} no ha confirmado que {account} sea su dirección; por eso no hemos iniciado su sesión.
        </>
      ),
      remedy: (provider) => <>Confirme la dirección en {provider}. Después, inicie sesión de nuevo.</>,
    },
    taken: {
      heading: 'Su cuenta está vinculada aquí a otro inicio de sesión',
      text: (provider, account) => (
        <>
          Ha iniciado sesión en {provider} como {account}. Antes usaba allí otra cuenta.
        </>
      ),
      remedy: (provider) => (
        <>Use la cuenta anterior de {provider}. Si ya no la tiene, contacte con soporte.</>
      ),
    },
    inactive: {
      heading: 'Su cuenta no está activa',
      text: (provider, account) => (
        <>
          Ha iniciado sesión en {provider} como {account}. Su cuenta está bloqueada aquí, o no se puede usar
          con este inicio de sesión.
        </>
      ),
      remedy: (provider) => <>Contacte con soporte. Si tiene otra cuenta en {provider}, puede usarla.</>,
    },
    declined: {
      heading: 'No ha iniciado sesión',
      cancelled: (provider) => (
        <>El inicio de sesión en {provider} se canceló o no se permitió. Puede intentarlo de nuevo.</>
      ),
      failed: (provider) => (
        <>
          {provider} no ha podido iniciar su sesión. Inténtelo de nuevo. Si vuelve a fallar, indique este
          motivo a soporte:
        </>
      ),
    },
    stale: {
      heading: 'Inicie sesión de nuevo',
      text: (provider) => (
        <>
          La aplicación pide un nuevo inicio de sesión, y {provider} no ha confirmado que usted acabe de
          iniciar sesión. Cierre la sesión en {provider} e inténtelo de nuevo.
        </>
      ),
    },
    unavailable: {
      heading: 'Este inicio de sesión no está disponible',
      text: (provider) => <>No podemos conectar con {provider}. Inténtelo de nuevo en un momento.</>,
    },
    misconfigured: {
      heading: 'Este inicio de sesión no funciona',
      text: (provider) => (
        <>La conexión con {provider} no está bien configurada. Contacte con soporte. No es culpa suya.</>
      ),
    },
    rejected: {
      heading: 'No hemos podido comprobar su inicio de sesión',
      text: (provider) => (
        <>Para proteger su cuenta, no hemos aceptado la respuesta de {provider}. Inténtelo de nuevo.</>
      ),
    },
    foreign: {
      heading: 'Este inicio de sesión no se puede terminar aquí',
      text: 'Se empezó en otro navegador, ya se ha usado o ha durado más de una hora. Empiece de nuevo.',
    },
    leaving: 'Su sesión está cerrada aquí',
    stillSignedIn: (provider) => (
      <>
        Es posible que su sesión en {provider} siga abierta. En un dispositivo compartido, ciérrela allí
        también.
      </>
    ),
  },
}
