import type { Text } from './language.ts';

/** Texts of signing in and changing a password. */
export const SIGN_IN = {
  title: { en: 'Sign in', de: 'Anmelden' },
  name: { en: 'Name', de: 'Name' },
  password: { en: 'Password', de: 'Passwort' },
  code: { en: 'One-time code', de: 'Einmalcode' },
  codeHint: {
    en: 'Six digits from the authenticator, or a recovery code',
    de: 'Sechs Ziffern aus der Authenticator-App, oder ein Wiederherstellungscode',
  },
  submit: { en: 'Sign in', de: 'Anmelden' },
  certificate: { en: 'Sign in with the certificate', de: 'Mit dem Zertifikat anmelden' },
  certificatePorts: {
    en: 'A certificate is accepted on port {ports}.',
    de: 'Ein Zertifikat wird auf Port {ports} angenommen.',
  },
  openPort: { en: 'Open port {port}', de: 'Port {port} öffnen' },
  noMethod: {
    en: 'Sessions by password and by certificate are switched off on this gateway.',
    de: 'Anmelden mit Passwort und mit Zertifikat ist an diesem Gateway abgeschaltet.',
  },
  wait: {
    en: 'Too many failed attempts. Next one in {span}.',
    de: 'Zu viele Fehlversuche. Der nächste in {span}.',
  },
  wrong: { en: 'Name or password is wrong.', de: 'Name oder Passwort ist falsch.' },
  ended: {
    en: 'The session has ended. Sign in to go on where you were.',
    de: 'Die Sitzung ist beendet. Nach dem Anmelden geht es weiter, wo Sie waren.',
  },
  changeTitle: { en: 'Choose a new password', de: 'Neues Passwort wählen' },
  changeWhy: {
    en: 'The password of {name} has to be changed before anything else.',
    de: 'Das Passwort von {name} muss zuerst geändert werden.',
  },
  newPassword: { en: 'New password', de: 'Neues Passwort' },
  repeat: { en: 'New password again', de: 'Neues Passwort noch einmal' },
  different: { en: 'The two are different.', de: 'Die beiden sind verschieden.' },
  change: { en: 'Change and sign in', de: 'Ändern und anmelden' },
} as const satisfies Readonly<Record<string, Text>>;
