import type { Catalogue } from '../en/catalogue.ts'

export const password: Pick<Catalogue, 'password'> = {
  password: {
    heading: 'Passwort',
    intro:
      'Wenn Sie Ihr Passwort ändern, werden Sie in allen anderen Browsern abgemeldet. Ihre Apps bleiben verbunden.',
    current: 'Aktuelles Passwort',
    new: 'Neues Passwort',
    rule: (characters) => `Mindestens ${characters} Zeichen.`,
    change: 'Passwort ändern',
    changed:
      'Ihr Passwort wurde geändert. In allen anderen Browsern sind Sie abgemeldet. Ihre Apps bleiben verbunden.',
    rejectedPassword: {
      too_short: (characters) =>
        `Das neue Passwort ist zu kurz. Verwenden Sie mindestens ${characters} Zeichen.`,
      too_long: 'Das neue Passwort ist zu lang. Verwenden Sie ein kürzeres.',
      more_than_one_line: 'Das neue Passwort enthält einen Zeilenumbruch. Entfernen Sie ihn.',
    },
    wrongCurrentPassword: 'Das aktuelle Passwort ist falsch.',
  },
}
