import type { Catalogue } from '../en/catalogue.ts'

export const connect: Pick<Catalogue, 'connect'> = {
  connect: {
    heading: (partner) => (
      <>
        Connecter {partner}
        {'\u202f'}?
      </>
    ),
    who: {
      term: 'Qui fait la demande',
      text: (partner, host) => (
        <>
          {partner}, une application à l’adresse {host}. Vous y retournerez ensuite.
        </>
      ),
    },
    what: {
      term: 'Ce qu’elle peut consulter',
      text: 'Les foyers que vous pouvez voir, et leurs comptes actifs. Elle ne peut rien modifier ni déplacer, et ne reçoit jamais votre mot de passe.',
    },
    howLong: {
      term: 'Pour combien de temps',
      text: 'Jusqu’à ce que vous la déconnectiez. Si l’application n’utilise pas la connexion pendant 30 jours, elle doit vous redemander votre accord.',
    },
    howToEnd: {
      term: 'Comment la déconnecter',
      text: (connections) => (
        <>
          À tout moment, dans <a href={connections}>vos applications connectées</a>. L’application perd
          immédiatement l’accès.
        </>
      ),
    },
    cancel: 'Annuler',
    submit: 'Connecter',
    switchUser: 'Ce n’est pas vous\u202f? Changer d’utilisateur',
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
