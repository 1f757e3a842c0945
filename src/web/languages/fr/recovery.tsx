import type { Catalogue } from '../en/catalogue.ts'

export const recovery: Pick<Catalogue, 'recovery'> = {
  recovery: {
    forgotten: 'Mot de passe oublié\u202f?',
    support: 'Un problème d’identification\u202f? Contactez l’assistance',
    request: {
      intro:
        'Saisissez votre adresse e-mail. Nous vous enverrons un lien pour définir un nouveau mot de passe.',
      submit: 'Recevoir un lien',
    },
    requested: {
      heading: 'Consultez vos e-mails',
      text: (minutes) =>
        `Si un compte existe avec cette adresse, nous lui avons envoyé un e-mail. Son lien fonctionne une seule fois, dans les ${minutes} prochaines minutes.`,
      nothing:
        'Pas d’e-mail\u202f? Regardez dans vos indésirables et vérifiez l’adresse. Si vous avez fait plusieurs demandes, seul le lien le plus récent fonctionne.',
    },
    unavailable:
      'Ce service ne peut pas envoyer d’e-mails. Demandez un nouveau mot de passe à son assistance.',
    backToLogin: 'Retour à l’identification',
    choose: {
      heading: 'Définissez votre mot de passe',
      account: (email) => <>Pour le compte {email}.</>,
      submit: 'Définir le mot de passe',
      otherLink:
        'Votre mot de passe n’a pas été défini, car un autre lien a été ouvert entre-temps dans ce navigateur. Vérifiez qu’il s’agit du bon compte, puis saisissez à nouveau le mot de passe.',
    },
    done: {
      heading: 'Votre mot de passe est défini',
      text: 'Vos autres sessions sont fermées. Vous pouvez maintenant vous identifier avec le nouveau mot de passe.',
      signIn: 'S’identifier',
    },
    dead: {
      heading: 'Ce lien ne fonctionne plus',
      text: 'Un lien fonctionne une seule fois et pendant un temps limité. Un lien plus récent ou un changement de mot de passe y met également fin.',
      again: 'Recevoir un nouveau lien',
    },
  },
}
