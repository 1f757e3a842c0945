import type { Catalogue } from '../en/catalogue.ts'

export const front: Pick<Catalogue, 'front'> = {
  front: {
    heading: 'Partager vos foyers avec des applications',
    purpose:
      'Des applications peuvent lire les foyers que vous voyez, mais seulement si vous les connectez. Vous pouvez les déconnecter à tout moment.',
    greeting: (name) => <>Bonjour, {name}</>,
    allApps: 'Voir et déconnecter vos applications',
    lastUsed: (when) => (
      <>
        Dernière utilisation{'\u00a0'}: {when}
      </>
    ),
    notUsed: 'Pas encore utilisée',
    developers: {
      heading: 'Pour les développeurs',
      text: 'Connectez votre application et lisez les foyers et les comptes au nom de ses utilisateurs.',
      link: 'Lire la documentation (en anglais)',
      pages: 'Ouvrir les pages des développeurs (en anglais)',
    },
    operators: {
      heading: 'Pour les exploitants',
      text: 'Gérez les partenaires, les utilisateurs et les connexions dans la console, avec l’API d’administration ou avec les commandes sur le serveur.',
      link: 'Ouvrir la console (en anglais)',
    },
  },
}
