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
}
