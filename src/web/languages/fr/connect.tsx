import type { Catalogue } from '../en/catalogue.ts'

export const connect: Pick<Catalogue, 'connect'> = {
  connect: {
    heading: (partner, brand) => (
      <>
        Connecter {partner} à votre compte {brand}
        {'\u202f'}?
      </>
    ),
    switchUser: 'Ce n’est pas vous\u202f?',
    again:
      'Cette application est déjà connectée. La connecter de nouveau ne change pas ce qu’elle peut consulter.',
    sees: (partner) => <>{partner} pourra consulter</>,
    households: {
      one: (amount) => <>{amount} foyer</>,
      other: (amount) => <>{amount} foyers</>,
    },
    more: {
      one: (amount) => <>{amount} autre</>,
      other: (amount) => <>{amount} autres</>,
    },
    seeAll: 'Tout voir',
    accounts: {
      one: (amount) => <>{amount} compte actif</>,
      other: (amount) => <>{amount} comptes actifs</>,
    },
    moreAccounts: (amount) => <>Plus de {amount} comptes actifs</>,
    fields: 'Nom, type, numéro masqué, dépositaire, devise, date d’ouverture',
    follows:
      'C’est ce que vous pouvez voir maintenant. Si vous pouvez voir plus ou moins de choses plus tard, l’application aussi.',
    cannot: 'Elle ne pourra pas',
    see: 'consulter les soldes, les opérations, votre adresse e-mail ou votre mot de passe',
    change: 'modifier ou déplacer quoi que ce soit',
    noEnd: 'Jusqu’à ce que vous la déconnectiez, ou qu’elle reste inutilisée pendant 30 jours.',
    ends: (date, days) => (
      <>
        Jusqu’au {date} ({days}), sauf si vous prolongez. La connexion prend fin plus tôt si elle reste
        inutilisée pendant 30 jours.
      </>
    ),
    days: {
      one: (amount) => <>{amount} jour</>,
      other: (amount) => <>{amount} jours</>,
    },
    howToEnd: (connections) => (
      <>
        Déconnectez-la à tout moment dans <a href={connections}>vos applications connectées</a>. Elle perd
        immédiatement l’accès, et conserve ce qu’elle a déjà lu.
      </>
    ),
    returnTo: (host) => <>Vous retournerez à {host}.</>,
    privacyPolicy: (partner) => <>Politique de confidentialité de {partner}</>,
    cancel: 'Annuler',
    submit: 'Connecter',
    householdsPage: {
      heading: (partner) => <>Foyers que {partner} pourrait voir</>,
      none: 'Vous ne pouvez voir aucun foyer pour le moment.',
      position: (first, last, all) => (
        <>
          {first} à {last} sur {all}
        </>
      ),
      pages: 'Autres pages',
      previous: 'Page précédente',
      next: 'Page suivante',
      back: 'Retour à la question',
    },
    suspended: {
      heading: 'Cette application est suspendue',
      text: 'Vous ne pouvez pas la connecter pour le moment. Réessayez plus tard, ou contactez l’assistance de l’application.',
    },
    differentUser: {
      heading: 'Cette page appartient à une autre session',
      text: 'Votre session a changé depuis l’ouverture de cette page. Rien n’a été connecté. Pour connecter l’application, recommencez.',
    },
    alreadyUsed: {
      heading: 'Cette page a déjà servi',
      text: 'Vous avez déjà appuyé ici sur «\u00a0Connecter\u00a0», ce qui ne fonctionne qu’une fois. Pour connecter de nouveau l’application, recommencez.',
    },
    expired: {
      heading: 'Cette page n’est plus à jour',
      text: 'Elle est restée ouverte plus de dix minutes. Rien n’a été connecté. Pour connecter l’application, recommencez.',
    },
    invalid: {
      heading: 'Ce lien ne fonctionne pas',
      text: 'Il est incomplet ou a été modifié. Retournez à l’application que vous voulez connecter, et recommencez.',
    },
    startAgain: 'Recommencer',
  },
}
