export const password = {
  password: {
    heading: 'Password',
    intro: 'When you change your password, all other browsers are signed out. Your apps stay connected.',
    current: 'Current password',
    new: 'New password',
    rule: (characters: number) => `At least ${characters} characters.`,
    change: 'Change password',
    changed: 'Your password is changed. All other browsers are signed out. Your apps stay connected.',
    rejectedPassword: {
      too_short: (characters: number) =>
        `The new password is too short. Use at least ${characters} characters.`,
      too_long: 'The new password is too long. Use a shorter one.',
      more_than_one_line: 'The new password contains a line break. Remove it.',
    },
    wrongCurrentPassword: 'The current password is wrong.',
  },
}
