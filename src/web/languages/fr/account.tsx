import type { Catalogue } from '../en/catalogue.ts'

export const account: Pick<Catalogue, 'account' | 'connections' | 'sessions'> = {
  account: {
    navigation: 'Votre compte',
    loggedInAs: (name) => <>Session ouverte au nom de {name}.</>,
    logOut: 'Fermer la session',
  },
  connections: {
    heading: 'Applications connectées',
    intro:
      'Ces applications peuvent consulter les foyers que vous pouvez voir, et leurs comptes actifs. Quand vous déconnectez une application, elle perd immédiatement l’accès.',
    none: 'Aucune application n’est connectée.',
    howToConnect:
      'Pour connecter une application, ouvrez-la et commencez par là. Elle vous amène ici, vous décidez, puis cette page montre ce qu’elle lit.',
    connected: 'Connectée le',
    lastUsed: 'Dernière utilisation',
    neverUsed: 'Jamais',
    ends: 'Fin',
    noEnd: 'Quand vous la déconnectez',
    endsUnused: (at) => <>ou le {at}, sans utilisation d’ici là</>,
    noAccess:
      'L’application ne peut rien lire pour le moment\u00a0: elle n’a pas utilisé la connexion pendant 30 jours, ou y a mis fin. Pour lui redonner accès, connectez-la depuis l’application.',
    renew: {
      one: (amount) => <>Prolonger de {amount} jour</>,
      other: (amount) => <>Prolonger de {amount} jours</>,
    },
    endsSoon: 'Cette connexion prend bientôt fin. Pour que l’application garde son accès, prolongez-la.',
    renewWithoutEnd: 'Prolonger sans limite',
    reads: (days) => <>Lectures des {days} derniers jours</>,
    requests: 'Requêtes',
    households: 'Foyers',
    accounts: 'Comptes',
    chart: (day, amount) => `Le plus de foyers et de comptes en un jour\u00a0: ${amount}, le ${day}`,
    today: 'Aujourd’hui',
    asTable: 'Afficher en tableau',
    day: 'Jour',
    readsNote:
      'Une donnée lue deux fois compte deux fois. Les jours sont en UTC. Les nouvelles lectures apparaissent au bout de quelques secondes.',
    disconnect: 'Déconnecter',
    householdReads: {
      link: 'Quels foyers elle a lus',
      heading: (partner) => <>Foyers lus par {partner}</>,
      none: 'L’application n’a lu aucun foyer pendant cette période.',
      household: 'Foyer',
      lastRead: 'Dernière lecture',
      times: 'Nombre de lectures',
      hidden: 'Vous ne pouvez plus le voir',
      note: 'Un foyer compte chaque fois que l’application le reçoit, seul ou avec ses comptes. Les jours sont en UTC. Les nouvelles lectures apparaissent au bout de quelques secondes.',
      back: 'Retour aux applications connectées',
    },
    disconnectPage: {
      heading: (partner) => (
        <>
          Déconnecter {partner}
          {'\u202f'}?
        </>
      ),
      whatEnds: (partner) => (
        <>{partner} perd immédiatement l’accès et ne peut plus consulter vos foyers ni vos comptes.</>
      ),
      whatStays: 'L’application conserve les données qu’elle a déjà lues.',
      connectAgain: 'Vous pouvez la reconnecter à tout moment, en commençant dans l’application.',
    },
    history: 'Connexions terminées',
    app: 'Application',
    ended: 'Terminée le',
    endedBy: {
      user: 'par vous',
      operator: 'par l’exploitant du service',
      firm_changed: 'parce que vous avez changé de société',
      expiry: 'parce que sa durée était écoulée',
    },
  },
  sessions: {
    heading: 'Sessions',
    intro: (minutes, hours) =>
      `Vous avez une session ouverte dans ces navigateurs. Une session prend fin après ${minutes} minutes d’inactivité, et au plus tard après ${hours} heures. Si vous n’en reconnaissez pas une, mettez-y fin et changez votre mot de passe.`,
    browserOn: (browser, system) => `${browser} sous ${system}`,
    unknown: 'Navigateur inconnu',
    current: 'Ce navigateur',
    loggedIn: 'Ouverte le',
    lastActive: 'Dernière activité',
    end: 'Mettre fin à la session',
    endOthers: 'Mettre fin à toutes les autres sessions',
  },
}
