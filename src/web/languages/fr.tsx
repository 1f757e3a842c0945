import type { Catalogue } from './en.tsx'

export const fr: Catalogue = {
  frame: {
    sandbox: 'Bac à sable',
    supportReference: 'Référence pour l’assistance\u00a0:',
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
  authorize: {
    heading: 'Nous ne pouvons pas traiter cette demande',
    text: 'L’application d’où vous venez a envoyé une demande non valide. Nous ne vous avons donc pas renvoyé vers elle. Indiquez ce motif à l’assistance de l’application\u00a0:',
    reasons: {
      repeated: (parameter) => `Paramètre envoyé plusieurs fois\u00a0: ${parameter}.`,
      missing: (parameter) => `Paramètre obligatoire manquant\u00a0: ${parameter}.`,
      wrongEnvironment: (theirs, ours) =>
        `Le client_id appartient à l’environnement ${theirs}. Cet environnement est ${ours}.`,
      unknownClient: 'client_id inconnu.',
      suspended: 'Cette application est suspendue.',
      unregisteredRedirectUri:
        'Le redirect_uri n’est pas enregistré pour cette application. Il doit correspondre exactement à un URI enregistré.',
    },
    receivedRedirectUri: 'redirect_uri reçu\u00a0:',
  },
  login: {
    heading: 'S’identifier',
    purpose: (partner) => <>Identifiez-vous pour choisir si {partner} peut consulter vos foyers.</>,
    email: 'Adresse e-mail',
    password: 'Mot de passe',
    submit: 'S’identifier',
    passwordPrivacy: 'Les applications ne reçoivent jamais votre mot de passe.',
    wrongCredentials: 'Adresse e-mail ou mot de passe incorrect.',
    throttled: (minutes) =>
      `Trop de tentatives. Réessayez dans ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
    busy: 'Le service d’identification est très sollicité. Réessayez dans quelques secondes.',
  },
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
  logout: {
    heading: 'Fermer la session\u202f?',
    requestedBy: (partner) => <>{partner} vous demande de fermer votre session.</>,
    appsStayConnected:
      'Vous fermez la session de ce navigateur uniquement. Vos applications restent connectées.',
    stayLoggedIn: 'Garder la session ouverte',
    done: {
      heading: 'Votre session est fermée',
      text: 'Vous pouvez fermer cette page.',
    },
    refused: {
      heading: 'Nous n’avons pas fermé votre session',
      text: 'L’application d’où vous venez a envoyé une demande non valide. Nous ne vous avons donc pas renvoyé vers elle. Pour fermer votre session, allez dans vos applications connectées.',
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
      'Ces applications peuvent consulter les foyers que vous pouvez voir, et leurs comptes actifs. Quand vous déconnectez une application, elle perd immédiatement l’accès.',
    none: 'Aucune application n’est connectée. Quand vous en connectez une, elle apparaît ici.',
    site: 'Site',
    connected: 'Connectée le',
    lastUsed: 'Dernière utilisation',
    neverUsed: 'Jamais',
    reads: 'Lectures des 30 derniers jours',
    requests: 'Requêtes',
    households: 'Foyers',
    accounts: 'Comptes',
    readsNote:
      'Une donnée lue deux fois compte deux fois. Les jours sont en UTC. Les nouvelles lectures apparaissent au bout de quelques secondes.',
    disconnect: 'Déconnecter',
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
  password: {
    heading: 'Mot de passe',
    intro:
      'Quand vous changez votre mot de passe, vos sessions dans les autres navigateurs sont fermées. Vos applications restent connectées.',
    current: 'Mot de passe actuel',
    new: 'Nouveau mot de passe',
    rule: (characters) => `Au moins ${characters} caractères.`,
    change: 'Changer le mot de passe',
    changed:
      'Votre mot de passe a été changé. Vos sessions dans les autres navigateurs sont fermées. Vos applications restent connectées.',
    rejectedPassword: {
      too_short: (characters) =>
        `Le nouveau mot de passe est trop court. Utilisez au moins ${characters} caractères.`,
      too_long: 'Le nouveau mot de passe est trop long. Choisissez-en un plus court.',
      more_than_one_line: 'Le nouveau mot de passe contient un saut de ligne. Supprimez-le.',
    },
    wrongCurrentPassword: 'Le mot de passe actuel est incorrect.',
  },
}
