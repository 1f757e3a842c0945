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
  account: {
    navigation: 'Votre compte',
    loggedInAs: (name) => <>Session ouverte au nom de {name}.</>,
    logOut: 'Se déconnecter',
  },
  connections: {
    heading: 'Applications connectées',
    intro:
      'Chaque application ci-dessous peut lire les foyers que vous pouvez voir et leurs comptes actifs, jusqu’à ce que vous la déconnectiez. La déconnexion prend effet immédiatement.',
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
      'Ce qui est relu est compté à nouveau. Les jours sont comptés en UTC ; les lectures les plus récentes apparaissent au bout de quelques secondes.',
    disconnect: 'Déconnecter',
    history: 'Connexions terminées',
    application: 'Application',
    ended: 'Terminée le',
    endedBy: { user: 'par vous', operator: 'par l’exploitant du service' },
  },
  sessions: {
    heading: 'Sessions',
    intro:
      'Votre session est ouverte dans ces navigateurs. Elle prend fin après 30 minutes d’inactivité, et au plus tard au bout de 8 heures. Si vous ne reconnaissez pas l’un d’eux, mettez fin à sa session et changez votre mot de passe.',
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
      'Un nouveau mot de passe ferme votre session dans tous les autres navigateurs. Les applications connectées le restent : elles ne reçoivent jamais votre mot de passe.',
    current: 'Mot de passe actuel',
    next: 'Nouveau mot de passe',
    rule: 'Au moins 8 caractères.',
    change: 'Changer le mot de passe',
    changed:
      'Votre mot de passe est changé et votre session est fermée dans tous les autres navigateurs. Vos applications connectées le restent.',
    unfit: {
      too_short: 'Le nouveau mot de passe est trop court : il doit compter au moins 8 caractères.',
      too_long: 'Le nouveau mot de passe est trop long.',
      more_than_one_line: 'Le nouveau mot de passe doit tenir sur une seule ligne.',
    },
    refused: 'Le mot de passe actuel est incorrect.',
    throttled: (minutes) =>
      `Il y a eu trop de tentatives. Veuillez réessayer dans ${minutes === 1 ? 'une minute' : `${minutes} minutes`}.`,
  },
}
