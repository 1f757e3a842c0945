import type { Catalogue } from '../en/catalogue.ts'

export const front: Pick<Catalogue, 'front'> = {
  front: {
    heading: 'Compartir sus hogares con aplicaciones',
    purpose:
      'Las aplicaciones pueden leer los hogares que usted ve, pero solo si usted las conecta. Puede desconectarlas en cualquier momento.',
    greeting: (name) => <>Hola, {name}</>,
    allApps: 'Ver y desconectar sus aplicaciones',
    lastUsed: (when) => <>Último uso: {when}</>,
    notUsed: 'Sin usar todavía',
    developers: {
      heading: 'Para desarrolladores',
      text: 'Conecte su aplicación y lea hogares y cuentas en nombre de sus usuarios.',
      link: 'Leer la documentación (en inglés)',
      pages: 'Abrir las páginas para desarrolladores (en inglés)',
    },
    operators: {
      heading: 'Para operadores',
      text: 'Gestione socios, usuarios y conexiones en la consola, con la API de administración o con los comandos en el servidor.',
      link: 'Abrir la consola (en inglés)',
    },
  },
}
