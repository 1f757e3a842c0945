import type { Catalogue } from '../en/catalogue.ts'

export const general: Pick<Catalogue, 'frame' | 'front' | 'errors'> = {
  frame: {
    sandbox: 'Bac à sable',
    supportReference: 'Référence pour l’assistance\u00a0:',
    language: 'Langue\u00a0:',
    support: 'Assistance',
    privacy: 'Confidentialité',
    terms: 'Conditions d’utilisation',
  },
  front: {
    heading: 'Partager vos foyers avec des applications',
    purpose:
      'Ce service permet à des applications de lire les foyers que vous voyez. Une application n’obtient l’accès que si vous la connectez.',
    apps: {
      label: 'Vos applications connectées',
      text: 'Voyez quelles applications ont accès, et déconnectez-les.',
    },
    docs: {
      label: 'Documentation pour les développeurs',
      text: 'Comment connecter une application et lire les foyers et les comptes (en anglais).',
    },
  },
  errors: {
    crossSiteForm: {
      heading: 'Ce formulaire provient d’un autre site',
      text: 'Pour protéger votre compte, nous n’avons rien modifié. Si vous avez vous-même appuyé sur le bouton, réessayez.',
    },
    staleForm: {
      heading: 'Cette page n’est plus à jour',
      text: 'Elle est restée ouverte trop longtemps, ou appartient à une autre session. Rien n’a été modifié. Réessayez.',
    },
    pageNotFound: {
      heading: 'Page introuvable',
      text: 'Vérifiez l’adresse. La page a peut-être été déplacée.',
    },
    malformedRequest: 'Nous ne pouvons pas lire cette demande',
    serverError: 'Une erreur s’est produite',
    explanations: {
      client:
        'Revenez en arrière et réessayez. Si l’erreur persiste, indiquez ce motif à l’assistance\u00a0:',
      unavailable: 'Le service est indisponible. Réessayez dans un instant.',
      internal: 'L’erreur vient de notre côté. Réessayez dans quelques minutes.',
    },
    tryAgain: 'Réessayer',
    toConnectedApps: 'Voir vos applications connectées',
  },
}
