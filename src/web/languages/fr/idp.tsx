import type { Catalogue } from '../en/catalogue.ts'

export const idp: Pick<Catalogue, 'idp'> = {
  idp: {
    continueWith: (provider) => <>Continuer avec {provider}</>,
    or: 'ou',
    next: 'Continuer',
    usePassword: 'S’identifier plutôt avec un mot de passe',
    useOtherAccount: 'Utiliser un autre compte',
    unknownDomain:
      'Aucune identification n’est prévue pour cette adresse e-mail. Vérifiez l’adresse ou contactez l’assistance.',
    unmatched: {
      heading: 'Nous n’avons trouvé ici aucun compte pour vous',
      text: (provider, account) => (
        <>
          Vous avez ouvert une session auprès de {provider} en tant que {account}, mais aucun compte n’y
          correspond ici.
        </>
      ),
      remedy: (provider) => (
        <>
          Si vous avez un autre compte auprès de {provider}, utilisez-le. Sinon, demandez un accès à
          l’assistance.
        </>
      ),
    },
    unverified: {
      heading: 'Votre adresse e-mail n’est pas confirmée',
      text: (provider, account) => (
        <>
          {provider} n’a pas confirmé que {account} est votre adresse. Nous ne vous avons donc pas ouvert de
          session.
        </>
      ),
      remedy: (provider) => <>Confirmez l’adresse auprès de {provider}, puis identifiez-vous de nouveau.</>,
    },
    taken: {
      heading: 'Votre compte est lié ici à une autre identification',
      text: (provider, account) => (
        <>
          Vous avez ouvert une session auprès de {provider} en tant que {account}. Auparavant, vous y
          utilisiez un autre compte.
        </>
      ),
      remedy: (provider) => (
        <>
          Utilisez votre compte précédent auprès de {provider}. Si vous ne l’avez plus, contactez
          l’assistance.
        </>
      ),
    },
    inactive: {
      heading: 'Votre compte n’est pas actif',
      text: (provider, account) => (
        <>
          Vous avez ouvert une session auprès de {provider} en tant que {account}. Votre compte est bloqué
          ici, ou ne peut pas être utilisé avec cette identification.
        </>
      ),
      remedy: (provider) => (
        <>
          Contactez l’assistance. Si vous avez un autre compte auprès de {provider}, vous pouvez l’utiliser.
        </>
      ),
    },
    declined: {
      heading: 'Votre session n’est pas ouverte',
      cancelled: (provider) => (
        <>L’identification auprès de {provider} a été annulée ou refusée. Vous pouvez réessayer.</>
      ),
      failed: (provider) => (
        <>
          {provider} n’a pas pu vous identifier. Réessayez. Si l’erreur persiste, indiquez ce motif à
          l’assistance{'\u00a0'}:
        </>
      ),
    },
    stale: {
      heading: 'Veuillez vous identifier de nouveau',
      text: (provider) => (
        <>
          L’application demande une nouvelle identification, et {provider} n’a pas confirmé que vous venez de
          vous identifier. Fermez votre session auprès de {provider}, puis réessayez.
        </>
      ),
    },
    unavailable: {
      heading: 'Cette identification n’est pas disponible',
      text: (provider) => <>Nous ne pouvons pas joindre {provider}. Réessayez dans un instant.</>,
    },
    misconfigured: {
      heading: 'Cette identification ne fonctionne pas',
      text: (provider) => (
        <>
          La liaison avec {provider} n’est pas correctement configurée. Contactez l’assistance. Vous n’y êtes
          pour rien.
        </>
      ),
    },
    rejected: {
      heading: 'Nous n’avons pas pu vérifier votre identification',
      text: (provider) => (
        <>Pour protéger votre compte, nous n’avons pas accepté la réponse de {provider}. Réessayez.</>
      ),
    },
    foreign: {
      heading: 'Cette identification ne peut pas se terminer ici',
      text: 'Elle a commencé dans un autre navigateur, a déjà servi ou a duré plus d’une heure. Recommencez.',
    },
    leaving: 'Votre session est fermée ici',
    stillSignedIn: (provider) => (
      <>
        Votre session auprès de {provider} est peut-être encore ouverte. Sur un appareil partagé, fermez-la
        aussi.
      </>
    ),
  },
}
