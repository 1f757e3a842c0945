import type { Catalogue } from '../en/catalogue.ts'

export const general: Pick<Catalogue, 'frame' | 'front' | 'errors'> = {
  frame: {
    sandbox: 'Entorno de pruebas',
    supportReference: 'Referencia para soporte:',
    language: 'Idioma:',
    support: 'Ayuda',
    privacy: 'Privacidad',
    terms: 'Condiciones',
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
}
