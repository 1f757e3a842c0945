import type { Catalogue } from '../en/catalogue.ts'

export const password: Pick<Catalogue, 'password'> = {
  password: {
    heading: 'Mot de passe',
    intro:
      'Quand vous changez votre mot de passe, vos sessions dans les autres navigateurs sont fermées. Vos applications restent connectées.',
    current: 'Mot de passe actuel',
    new: 'Nouveau mot de passe',
    rule: (characters) =>
      `Au moins ${characters} caractères. Quatre mots sans rapport entre eux sont faciles à retenir et difficiles à deviner.`,
    change: 'Changer le mot de passe',
    changed:
      'Votre mot de passe a été changé. Vos sessions dans les autres navigateurs sont fermées. Vos applications restent connectées.',
    missing: {
      atProvider:
        'Vous n’avez pas de mot de passe ici. Vous vous identifiez avec le compte de votre organisation, et c’est là que vous changez son mot de passe.',
      notSet: 'Vous n’avez pas de mot de passe ici.',
      byMail: (email) => (
        <>
          Pour vous identifier avec un mot de passe, recevez à l’adresse {email} un lien qui vous permet de le
          définir.
        </>
      ),
      fromSupport: (support) => <>Pour vous identifier avec un mot de passe, contactez {support}.</>,
      support: 'l’assistance',
    },
    rejectedPassword: {
      too_short: (characters) =>
        `Le nouveau mot de passe est trop court. Utilisez au moins ${characters} caractères.`,
      too_long: 'Le nouveau mot de passe est trop long. Choisissez-en un plus court.',
      more_than_one_line: 'Le nouveau mot de passe contient un saut de ligne. Supprimez-le.',
      contains_personal:
        'Le nouveau mot de passe contient votre nom, votre adresse e-mail ou le nom de ce service. Un attaquant les essaie en premier. Ne les utilisez pas.',
      common:
        'Beaucoup de personnes utilisent le nouveau mot de passe\u00a0: un attaquant l’essaie en premier. Utilisez quatre mots sans rapport entre eux.',
      pattern:
        'Le nouveau mot de passe est facile à deviner\u00a0: il se répète ou suit un motif, par exemple une rangée de touches ou une date. Utilisez quatre mots sans rapport entre eux.',
      few_words:
        'Le nouveau mot de passe est facile à deviner\u00a0: il est formé de quelques mots courants. Ajoutez des mots sans rapport entre eux.',
    },
    wrongCurrentPassword: 'Le mot de passe actuel est incorrect.',
  },
}
