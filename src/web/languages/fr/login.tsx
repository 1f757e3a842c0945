import type { Catalogue } from '../en/catalogue.ts'

export const login: Pick<Catalogue, 'authorize' | 'login' | 'logout'> = {
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
}
