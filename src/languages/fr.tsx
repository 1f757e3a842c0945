import type { Catalogue } from './en.tsx'

export const fr: Catalogue = {
  frame: {
    sandbox: 'Bac à sable',
    quoteNumber: 'Si vous demandez de l’aide, indiquez ce numéro :',
  },
  errors: {
    foreignForm: {
      heading: 'Ce formulaire provient d’un autre site',
      text: 'Pour votre protection, rien n’a été fait. Si c’est bien vous qui avez appuyé sur le bouton, veuillez réessayer.',
    },
    staleForm: {
      heading: 'Cette page n’est plus à jour',
      text: 'Cette page est restée ouverte trop longtemps, ou appartient à une autre connexion. Pour votre protection, rien n’a été fait ; veuillez réessayer.',
    },
    noSuchPage: {
      heading: 'Cette page n’existe pas',
      text: 'L’adresse est peut-être mal saisie, ou la page a été déplacée.',
    },
    unreadable: 'Cette demande est illisible',
    failed: 'Cela n’a pas fonctionné',
    faults: {
      client: 'Une partie manque ou n’est pas telle qu’elle devrait être.',
      unavailable: 'Le service ne peut pas répondre pour le moment ; réessayez dans un instant.',
      internal: 'Une erreur s’est produite de notre côté.',
    },
    tryAgain: 'Réessayer',
    toConnections: 'Voir vos applications connectées',
  },
}
