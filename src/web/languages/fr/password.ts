import type { Catalogue } from '../en/catalogue.ts'

export const password: Pick<Catalogue, 'password'> = {
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
