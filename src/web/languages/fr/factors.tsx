import type { Catalogue } from '../en/catalogue.ts'

export const factors: Pick<Catalogue, 'security' | 'secondFactor'> = {
  security: {
    heading: 'Sécurité',
    intro: 'Un second facteur protège votre compte si quelqu’un découvre votre mot de passe.',
    required: {
      any: 'Votre compte exige une clé d’accès ou une application d’authentification.',
      passkey: 'Votre compte exige une clé d’accès. Une application d’authentification ne suffit pas.',
      missing:
        'Vous ne l’avez pas encore configurée. Faites-le ici, ou lorsque nous vous le demanderons à l’identification.',
    },
    passkeys: 'Clés d’accès',
    passkeysText:
      'Avec une clé d’accès, vous vous identifiez avec votre appareil\u00a0: par empreinte digitale, par reconnaissance du visage ou par code PIN. Elle ne fonctionne que sur ce site, et personne ne peut vous amener à l’utiliser ailleurs.',
    noPasskeys: 'Vous n’avez pas de clé d’accès.',
    added: 'Ajoutée',
    lastUsed: 'Dernière utilisation',
    neverUsed: 'Jamais',
    synced: 'Synchronisée entre vos appareils',
    remove: 'Supprimer',
    addPasskey: 'Ajouter une clé d’accès',
    passkeyName: 'Nom',
    passkeyNameRule: 'Par exemple l’appareil. Vous seul voyez ce nom, et seulement ici.',
    unnamed: 'Clé d’accès',
    totp: 'Application d’authentification',
    totpText:
      'Une application sur votre téléphone affiche un code à six chiffres qui change toutes les 30 secondes.',
    setUp: 'Configurer',
    isSetUp: 'Votre application est configurée.',
    recoveryCodes: 'Codes de secours',
    recoveryText:
      'Un code de secours vous permet de vous identifier si vous perdez votre appareil. Chaque code ne sert qu’une fois.',
    codesLeft: (codes) => (codes < 2 ? `Il reste ${codes} code.` : `Il reste ${codes} codes.`),
    newCodes: 'Créer de nouveaux codes',
    oldCodesEnd: 'Les nouveaux codes remplacent les anciens.',
    codesNeedFactor:
      'Vous recevez des codes de secours lorsque vous ajoutez une clé d’accès ou une application.',
    confirm: {
      text: 'Pour modifier ces réglages, identifiez-vous de nouveau.',
      button: 'S’identifier de nouveau',
    },
    done: {
      passkey: 'Votre clé d’accès est ajoutée.',
      removed: 'La clé d’accès est supprimée.',
      totp: 'Votre application d’authentification est configurée.',
      totpRemoved: 'L’application d’authentification est supprimée.',
    },
    back: 'Retour à la page Sécurité',
  },
  secondFactor: {
    heading: 'Confirmez votre identité',
    as: (name) => <>Vous vous identifiez en tant que {name}.</>,
    requiredBy: (partner) => <>{partner} demande une identification plus sûre.</>,
    passkey: {
      button: 'Utiliser une clé d’accès',
      text: 'Votre appareil vous demande votre empreinte, votre visage ou son code PIN.',
      needsScript: 'Pour utiliser une clé d’accès, activez JavaScript dans ce navigateur.',
      unsupported: 'Ce navigateur ne prend pas en charge les clés d’accès.',
      failed: 'La clé d’accès n’a pas été utilisée. Réessayez.',
      refused: 'Cette clé d’accès n’a pas été acceptée. Réessayez, ou identifiez-vous autrement.',
      usePassword: 'S’identifier avec le mot de passe',
    },
    totp: {
      label: 'Code de votre application d’authentification',
      rule: 'Six chiffres.',
      wrong: 'Ce code est incorrect ou a déjà été utilisé. Attendez le suivant.',
    },
    recovery: {
      summary: 'Appareil perdu\u202f?',
      label: 'Code de secours',
      rule: 'L’un des codes que vous avez conservés en configurant le second facteur. Il ne sert qu’une fois.',
      wrong: 'Ce code de secours est incorrect ou a déjà été utilisé.',
    },
    submit: 'Continuer',
    skip: 'Continuer sans cette étape',
    cancel: 'Annuler',
    enrol: {
      heading: 'Configurer un second facteur',
      intro:
        'Votre compte a besoin d’un second facteur. Configurez-le maintenant, puis vous pourrez continuer.',
      introPasskey: 'Une clé d’accès est nécessaire pour continuer. Ajoutez-la maintenant.',
      another: 'Clé d’accès perdue\u202f? Ajoutez-en une nouvelle.',
      passkey: 'Avec une clé d’accès',
      addPasskey: 'Ajouter une clé d’accès',
      failed: 'La clé d’accès n’a pas été ajoutée. Réessayez.',
      totp: 'Avec une application d’authentification',
      scan: 'Scannez ce code avec une application d’authentification.',
      qrCode: 'Code QR pour l’application d’authentification',
      orType: 'Ou saisissez cette clé dans l’application\u00a0:',
      code: 'Code que l’application affiche maintenant',
      wrong:
        'Ce code est incorrect. Vérifiez l’heure de votre appareil et saisissez le code que l’application affiche maintenant.',
      submit: 'Configurer',
    },
    codes: {
      heading: 'Conservez vos codes de secours',
      text: 'Si vous perdez votre appareil, vous vous identifiez avec l’un de ces codes. Chacun ne sert qu’une fois. Imprimez-les ou conservez-les dans un gestionnaire de mots de passe\u00a0: nous ne les affichons que maintenant.',
      done: 'J’ai conservé les codes',
    },
  },
}
