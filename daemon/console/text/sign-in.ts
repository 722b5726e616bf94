import type { Text } from './text.ts';

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
  replaced: {
    en: 'This browser is signed in as {present} now: all its tabs share one session.',
    de: 'Dieser Browser ist jetzt als {present} angemeldet: Alle seine Tabs teilen sich eine Sitzung.',
  },
  replacedHere: {
    en: 'Nothing is sent for {former} any more. The page of {former} is hidden, with all that was typed.',
    de: 'Für {former} wird nichts mehr gesendet. Die Seite von {former} ist verborgen, mit allem, was getippt wurde.',
  },
  adopt: { en: 'Continue as {present}', de: 'Als {present} fortfahren' },
  signInAs: { en: 'Sign in as {former}', de: 'Als {former} anmelden' },
  endsOther: {
    en: 'Signing in ends the session of {present}, in every tab of this browser.',
    de: 'Das Anmelden beendet die Sitzung von {present}, in allen Tabs dieses Browsers.',
  },
  factorTitle: { en: 'Set up a second factor', de: 'Zweiten Faktor einrichten' },
  factorWhy: {
    en: 'This identity signs in with a code of an authenticator app beside its password. Scan the code with the app, type the key into it, or open the link on the device that has it.',
    de: 'Diese Identität meldet sich neben dem Passwort mit einem Code einer Authenticator-App an. Scannen Sie den Code mit der App, geben Sie dort den Schlüssel ein, oder öffnen Sie den Link auf dem Gerät mit der App.',
  },
  qrCode: {
    en: 'QR code of the key below, for the authenticator app',
    de: 'QR-Code des Schlüssels darunter, für die Authenticator-App',
  },
  openApp: { en: 'Open in the app', de: 'In der App öffnen' },
  firstCode: { en: 'First code of the app', de: 'Erster Code der App' },
  factorConfirm: { en: 'Put in force', de: 'In Kraft setzen' },
  recovery: {
    en: 'Keep these codes where nobody else finds them. Each stands in once for a code of the app. They are shown only now.',
    de: 'Bewahren Sie diese Codes sicher auf. Jeder ersetzt einmal einen Code der App. Sie werden nur jetzt gezeigt.',
  },
  kept: { en: 'I have kept them: sign in', de: 'Sie sind verwahrt: anmelden' },
  changeTitle: { en: 'Choose a new password', de: 'Neues Passwort wählen' },
  changeWhy: {
    en: 'The password of {name} has to be changed before anything else.',
    de: 'Das Passwort von {name} muss zuerst geändert werden.',
  },
  ownPassword: { en: 'Change password', de: 'Passwort ändern' },
  ownPasswordEnds: {
    en: 'The change ends all your sessions, also this one.',
    de: 'Die Änderung beendet alle Ihre Sitzungen, auch diese.',
  },
  passwordChanged: {
    en: 'The password is changed, and all sessions of {name} have ended. Sign in with the new one.',
    de: 'Das Passwort ist geändert, und alle Sitzungen von {name} sind beendet. Melden Sie sich mit dem neuen an.',
  },
  newPassword: { en: 'New password', de: 'Neues Passwort' },
  repeat: { en: 'New password again', de: 'Neues Passwort noch einmal' },
  different: { en: 'The two are different.', de: 'Die beiden sind verschieden.' },
  change: { en: 'Change and sign in', de: 'Ändern und anmelden' },
} as const satisfies Readonly<Record<string, Text>>;
