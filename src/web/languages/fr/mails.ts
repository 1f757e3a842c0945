import type { Catalogue } from '../en/catalogue.ts'

export const mails: Pick<Catalogue, 'mails'> = {
  mails: {
    greeting: (name) => `Bonjour ${name},`,
    automatic: (brand) => `Cet e-mail a été envoyé automatiquement par ${brand}.`,
    support: 'Aide et contact',
    connected: {
      subject: (partner) => `Vous avez connecté ${partner}`,
      text: (partner, brand, at) =>
        `Vous avez connecté ${partner} à votre compte ${brand} le ${at}. ${partner} peut maintenant voir les foyers que vous pouvez voir, et leurs comptes actifs.`,
      notYou: 'Si ce n’était pas vous, déconnectez l’application et changez votre mot de passe.',
      link: 'Applications connectées',
    },
    connectionEnds: {
      subject: (partner) => `${partner} perdra bientôt l’accès`,
      text: (partner, until) =>
        `Votre connexion avec ${partner} prend fin le ${until}. Ensuite, l’application ne pourra plus consulter vos foyers ni vos comptes.`,
      toRenew:
        'Pour que l’application garde son accès, prolongez la connexion sur la page ci-dessous. Sinon, vous n’avez rien à faire.',
      link: 'Applications connectées',
    },
    leaked: {
      subject: (partner) => `Une clé de ${partner} a été rendue publique`,
      text: (partner, at) =>
        `Le ${at}, nous avons appris qu’une clé avec laquelle ${partner} lit vos foyers et vos comptes se trouvait dans un lieu public. Quelqu’un d’autre a pu s’en servir.`,
      ended: {
        access: (partner) =>
          `Nous avons remplacé la clé. ${partner} reste connectée et vous n’avez rien à faire.`,
        connection: (partner) =>
          `Nous avons immédiatement déconnecté ${partner} de votre compte. Si vous souhaitez encore l’utiliser, connectez-la de nouveau.`,
      },
      link: 'Applications connectées',
    },
    passwordChanged: {
      subject: (brand) => `Votre mot de passe ${brand} a été changé`,
      text: {
        user: (at) =>
          `Vous avez changé votre mot de passe le ${at}. Vos sessions dans les autres navigateurs sont fermées.`,
        operator: (at) =>
          `L’exploitant de ce service a défini votre mot de passe le ${at}. Toutes vos sessions sont fermées.`,
        link: (at) =>
          `Votre mot de passe a été défini le ${at} avec le lien que nous vous avons envoyé. Toutes vos sessions sont fermées.`,
      },
      notYou:
        'Si ce n’était pas vous, quelqu’un a peut-être accès à votre compte. Définissez tout de suite un nouveau mot de passe.',
      link: 'Définir un nouveau mot de passe',
    },
    factorsChanged: {
      subject: (brand) => `L’identification à votre compte ${brand} a changé`,
      text: {
        passkey_added: (at) => `Une clé d’accès a été ajoutée à votre compte le ${at}.`,
        passkey_removed: (at) => `Une clé d’accès a été supprimée de votre compte le ${at}.`,
        totp_added: (at) => `Une application d’authentification a été configurée pour votre compte le ${at}.`,
        totp_removed: (at) => `L’application d’authentification a été supprimée de votre compte le ${at}.`,
        reset: (at) =>
          `L’exploitant de ce service a supprimé vos clés d’accès, votre application d’authentification et vos codes de secours le ${at}. Toutes vos sessions sont fermées.`,
      },
      notYou:
        'Si ce n’était pas voulu, quelqu’un a peut-être accès à votre compte. Consultez la page ci-dessous et changez le mot de passe avec lequel vous vous identifiez.',
      link: 'Sécurité de votre compte',
    },
    newBrowser: {
      subject: (brand) => `Nouvelle ouverture de session sur votre compte ${brand}`,
      text: (browser, at) =>
        `Quelqu’un a ouvert une session sur votre compte le ${at}, dans un navigateur que nous ne reconnaissons pas\u00a0: ${browser}.`,
      notYou:
        'Si c’était vous, vous n’avez rien à faire. Sinon, fermez cette session et changez votre mot de passe.',
      link: 'Vos sessions',
    },
    passwordReset: {
      subject: (brand) => `Nouveau mot de passe ${brand}`,
      text: (minutes) =>
        `Ce lien vous permet de définir un nouveau mot de passe. Il fonctionne une seule fois, dans les ${minutes} prochaines minutes.`,
      notYou: 'Si vous n’avez rien demandé, ignorez cet e-mail. Votre mot de passe reste le même.',
      link: 'Définir un nouveau mot de passe',
    },
    noPassword: {
      subject: (brand) => `Comment vous identifier chez ${brand}`,
      text: (brand) =>
        `Quelqu’un a demandé un nouveau mot de passe pour votre compte. Vous n’avez pas de mot de passe chez ${brand}\u00a0: vous vous identifiez avec le compte de votre organisation.`,
      notYou: 'Si vous n’avez rien demandé, ignorez cet e-mail.',
      link: 'S’identifier',
    },
    invitation: {
      subject: (brand) => `Votre mot de passe ${brand}`,
      text: (brand, until) =>
        `Vous pourrez vous identifier chez ${brand} dès que vous aurez défini votre mot de passe. Ce lien fonctionne une seule fois, jusqu’au ${until}.`,
      link: 'Définir votre mot de passe',
    },
    developerInvited: {
      subject: (partner) => `Vous faites partie des développeurs de ${partner}`,
      text: (partner, brand, until) =>
        `Vous pourrez travailler sur l’application ${partner} chez ${brand} dès que vous aurez configuré votre compte. Ce lien fonctionne une seule fois, jusqu’au ${until}.`,
      link: 'Configurer votre compte',
    },
    developerAdded: {
      subject: (partner) => `Vous faites partie des développeurs de ${partner}`,
      text: (partner, brand) =>
        `Vous pouvez désormais travailler sur l’application ${partner} chez ${brand}. Identifiez-vous avec votre compte.`,
      notYet:
        'Si vous n’avez pas encore configuré votre compte, utilisez le lien de l’invitation que vous avez déjà reçue.',
      link: 'Pages des développeurs',
    },
    webhookDisabled: {
      subject: (partner) => `Les webhooks de ${partner} sont désactivés`,
      text: {
        failing: (partner, host) =>
          `Depuis cinq jours, aucun événement destiné à ${partner} n’a pu être remis à ${host}. Ce point de terminaison est donc désactivé.`,
        gone: (partner, host) =>
          `${host} a répondu à un événement destiné à ${partner} par le statut 410 Gone. Ce point de terminaison est donc désactivé.`,
      },
      toEnable:
        'Les nouveaux événements attendent jusqu’à 30 jours. Réparez le récepteur, puis réactivez le point de terminaison sur la page ci-dessous. Vous pouvez y faire renvoyer les événements abandonnés.',
      link: 'Voir les webhooks',
    },
  },
}
