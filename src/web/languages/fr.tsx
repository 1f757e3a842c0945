import type { Catalogue } from './en.tsx'

export const fr: Catalogue = {
  frame: {
    sandbox: 'Bac à sable',
    quoteNumber: 'Si vous demandez de l’aide, indiquez ce numéro\u00a0:',
  },
  errors: {
    foreignForm: {
      heading: 'Ce formulaire provient d’un autre site',
      text: 'Pour votre protection, rien n’a été fait. Si c’est bien vous qui avez appuyé sur le bouton, veuillez réessayer.',
    },
    staleForm: {
      heading: 'Cette page n’est plus à jour',
      text: 'Cette page est restée ouverte trop longtemps, ou appartient à une autre session. Pour votre protection, rien n’a été fait\u202f; veuillez réessayer.',
    },
    noSuchPage: {
      heading: 'Cette page n’existe pas',
      text: 'L’adresse est peut-être mal saisie, ou la page a été déplacée.',
    },
    unreadable: 'Cette demande est illisible',
    failed: 'Cela n’a pas fonctionné',
    faults: {
      client:
        'Revenez à la page d’où vous venez et réessayez. Si cela se reproduit, en voici la raison\u00a0:',
      unavailable: 'Le service ne peut pas répondre pour le moment\u202f; réessayez dans un instant.',
      internal: 'Une erreur s’est produite de notre côté.',
    },
    tryAgain: 'Réessayer',
    toConnections: 'Voir vos applications connectées',
  },
  authorize: {
    heading: 'Cette demande ne peut pas aboutir',
    untrusted:
      'La demande de l’application d’où vous venez n’est pas fiable\u00a0: c’est pourquoi vous restez ici au lieu d’y retourner.',
    reasons: {
      repeated: (parameter) => `Le paramètre ${parameter} a été envoyé plusieurs fois.`,
      missing: (parameter) => `Le paramètre ${parameter} est absent.`,
      foreignEnvironment: (theirs, ours) =>
        `Le client_id appartient à l’environnement ${theirs}, et celui-ci est ${ours}.`,
      unknownClient: 'Le client_id n’est pas connu ici.',
      suspended: 'Cette application est suspendue.',
      unregisteredRedirectUri:
        'Le redirect_uri n’est pas enregistré pour cette application\u202f; il doit correspondre exactement.',
    },
  },
  login: {
    heading: 'S’identifier',
    purpose: (partner) => <>Identifiez-vous pour décider si {partner} peut consulter vos foyers.</>,
    email: 'Adresse e-mail',
    password: 'Mot de passe',
    submit: 'S’identifier',
    passwordStays: 'Votre mot de passe reste ici\u00a0: aucune application ne le reçoit jamais.',
    refused: 'L’adresse e-mail ou le mot de passe est incorrect.',
    throttled: (minutes) =>
      `Il y a eu trop de tentatives. Veuillez réessayer dans ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
    busy: 'Un très grand nombre de personnes s’identifient en ce moment. Veuillez réessayer dans quelques secondes.',
  },
  connect: {
    heading: (partner) => (
      <>
        Connecter {partner}
        {'\u202f'}?
      </>
    ),
    who: {
      term: 'Qui le demande',
      text: (partner, host) => (
        <>
          {partner}, une application à l’adresse {host}. Vous y retournerez ensuite.
        </>
      ),
    },
    what: {
      term: 'Ce qu’elle peut consulter',
      text: 'Les foyers que vous pouvez voir, et leurs comptes actifs. Elle ne fait que lire\u00a0: elle ne peut rien modifier ni déplacer, et elle ne reçoit pas votre mot de passe.',
    },
    howLong: {
      term: 'Pour combien de temps',
      text: 'Jusqu’à ce que vous y mettiez fin. Une application qui ne s’en est pas servie pendant 30 jours doit vous renvoyer ici.',
    },
    howToEnd: {
      term: 'Comment y mettre fin',
      text: (connections) => (
        <>
          À tout moment et avec effet immédiat, dans <a href={connections}>vos applications connectées</a>.
        </>
      ),
    },
    cancel: 'Annuler',
    submit: 'Connecter',
    notYou: 'Ce n’est pas vous\u202f? Changer d’utilisateur',
    suspended: {
      heading: 'Cette application est suspendue',
      text: 'Elle ne peut pas être connectée pour le moment.',
    },
    notYours: {
      heading: 'Cette page n’est pas la vôtre',
      text: 'Elle a été préparée pour une autre session que celle qui est ouverte. Rien n’a été connecté.',
    },
    used: {
      heading: 'Cette page a déjà servi',
      text: 'Vous y avez déjà appuyé sur «\u00a0Connecter\u00a0», ce qui ne compte qu’une fois. Pour connecter de nouveau, recommencez.',
    },
    expired: {
      heading: 'Cette page n’est plus à jour',
      text: 'Elle est restée ouverte plus de dix minutes. Rien n’a été connecté.',
    },
    incomplete: {
      heading: 'Cette page n’est pas complète',
      text: 'Retournez à l’application que vous voulez connecter, et recommencez à partir de là.',
    },
    startAgain: 'Recommencer',
  },
  logout: {
    heading: 'Fermer la session\u202f?',
    who: (partner) => <>{partner} vous demande de fermer votre session ici.</>,
    appsStay:
      'Vos applications restent connectées\u00a0: seule la session ouverte dans ce navigateur prend fin.',
    stay: 'Garder la session ouverte',
    done: {
      heading: 'Votre session est fermée',
      text: 'Vous pouvez fermer cette page.',
    },
    refused: {
      heading: 'Votre session n’a pas été fermée',
      text: 'La demande de l’application d’où vous venez n’est pas digne de confiance. Rien n’a donc été fait, et vous restez ici au lieu d’y retourner. Vous pouvez fermer votre session depuis la page de vos applications connectées.',
    },
  },
  account: {
    navigation: 'Votre compte',
    loggedInAs: (name) => <>Session ouverte au nom de {name}.</>,
    logOut: 'Fermer la session',
  },
  connections: {
    heading: 'Applications connectées',
    intro:
      'Chaque application ci-dessous peut consulter les foyers que vous pouvez voir et leurs comptes actifs, jusqu’à ce que vous la déconnectiez. La déconnexion prend effet immédiatement.',
    none: 'Aucune application n’est connectée.',
    site: 'Site',
    connected: 'Connectée le',
    lastUsed: 'Dernière utilisation',
    neverUsed: 'Pas encore utilisée',
    reads: 'Lectures des 30 derniers jours',
    requests: 'Requêtes',
    households: 'Foyers',
    accounts: 'Comptes',
    readsNote:
      'Ce qui est relu est compté à nouveau. Les jours sont comptés en UTC\u202f; les lectures les plus récentes apparaissent au bout de quelques secondes.',
    disconnect: 'Déconnecter',
    history: 'Connexions terminées',
    application: 'Application',
    ended: 'Terminée le',
    endedBy: { user: 'par vous', operator: 'par l’exploitant du service' },
  },
  sessions: {
    heading: 'Sessions',
    intro: (minutes, hours) =>
      `Votre session est ouverte dans ces navigateurs. Elle prend fin après ${minutes} minutes d’inactivité, et au plus tard au bout de ${hours} heures. Si vous ne reconnaissez pas l’un d’eux, mettez fin à sa session et changez votre mot de passe.`,
    browserOn: (browser, system) => `${browser} sous ${system}`,
    unknown: 'Navigateur inconnu',
    current: 'Ce navigateur',
    loggedIn: 'Ouverte le',
    lastActive: 'Dernière activité',
    end: 'Mettre fin à la session',
    endOthers: 'Mettre fin à toutes les autres sessions',
  },
  password: {
    heading: 'Mot de passe',
    intro:
      'Un nouveau mot de passe ferme votre session dans tous les autres navigateurs. Les applications connectées le restent\u00a0: elles ne reçoivent jamais votre mot de passe.',
    current: 'Mot de passe actuel',
    next: 'Nouveau mot de passe',
    rule: (characters) => `Au moins ${characters} caractères.`,
    change: 'Changer le mot de passe',
    changed:
      'Votre mot de passe a été modifié et votre session est fermée dans tous les autres navigateurs. Vos applications connectées le restent.',
    unfit: {
      too_short: (characters) =>
        `Le nouveau mot de passe est trop court\u00a0: il doit compter au moins ${characters} caractères.`,
      too_long: 'Le nouveau mot de passe est trop long.',
      more_than_one_line: 'Le nouveau mot de passe doit tenir sur une seule ligne.',
    },
    refused: 'Le mot de passe actuel est incorrect.',
  },
}
