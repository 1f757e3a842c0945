import type { Catalogue } from '../en/catalogue.ts'

export const general: Pick<Catalogue, 'frame' | 'errors'> = {
  frame: {
    sandbox: 'Entorno de pruebas',
    supportReference: 'Referencia para soporte:',
    language: 'Idioma:',
    status: 'Estado',
    support: 'Ayuda',
    privacy: 'Privacidad',
    terms: 'Condiciones',
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
    incompleteLink: {
      heading: 'Este enlace no funciona',
      text: 'Está incompleto o se ha modificado. Abra de nuevo la página desde donde encontró el enlace.',
    },
    forApplications: {
      heading: 'Esta dirección es para aplicaciones',
      text: 'Aquí no hay nada que ver para las personas. La documentación explica cómo la usan las aplicaciones.',
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
