import type { Catalogue } from '../en/catalogue.ts'

export const general: Pick<Catalogue, 'frame' | 'errors'> = {
  frame: {
    sandbox: 'Bac à sable',
    supportReference: 'Référence pour l’assistance\u00a0:',
    language: 'Langue\u00a0:',
    status: 'État du service',
    support: 'Assistance',
    privacy: 'Confidentialité',
    terms: 'Conditions d’utilisation',
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
    incompleteLink: {
      heading: 'Ce lien ne fonctionne pas',
      text: 'Il est incomplet ou a été modifié. Ouvrez de nouveau la page à partir de l’endroit où vous avez trouvé le lien.',
    },
    forApplications: {
      heading: 'Cette adresse est destinée aux applications',
      text: 'Il n’y a rien à voir ici pour les personnes. La documentation explique comment les applications l’utilisent.',
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
