import type { Text } from './text.ts';

/** Texts of sign-in and password change. */
export const SIGN_IN = {
  title: { en: 'Sign in', de: 'Anmelden' },
  name: { en: 'Name', de: 'Name' },
  password: { en: 'Password', de: 'Passwort' },
  code: { en: 'One-time code', de: 'Einmalcode' },
  codeHint: {
    en: 'Six digits from the authenticator app, or a recovery code',
    de: 'Sechs Ziffern aus der Authenticator-App oder ein Wiederherstellungscode',
  },
  submit: { en: 'Sign in', de: 'Anmelden' },
  certificate: { en: 'Sign in with the certificate', de: 'Mit dem Zertifikat anmelden' },
  certificatePorts: {
    en: 'A certificate is accepted on port {ports}.',
    de: 'Zertifikate werden auf Port {ports} akzeptiert.',
  },
  openPort: { en: 'Open port {port}', de: 'Port {port} öffnen' },
  noMethod: {
    en: 'Sign-in with password and with certificate is disabled on this gateway.',
    de: 'Die Anmeldung mit Passwort und mit Zertifikat ist an diesem Gateway deaktiviert.',
  },
  wait: {
    en: 'Too many failed attempts. Next attempt in {span}.',
    de: 'Zu viele Fehlversuche. Nächster Versuch in {span}.',
  },
  ended: {
    en: 'The session has ended. Sign in to continue where you left off.',
    de: 'Die Sitzung ist beendet. Melden Sie sich an, um an derselben Stelle fortzufahren.',
  },
  replaced: {
    en: 'This browser is signed in as {current} now: all its tabs share one session.',
    de: 'Dieser Browser ist jetzt als {current} angemeldet: Alle seine Tabs teilen sich eine Sitzung.',
  },
  replacedHere: {
    en: 'Nothing more is sent for {former}. The page of {former} is hidden, including unsaved input.',
    de: 'Für {former} wird nichts mehr gesendet. Die Seite von {former} ist mit allen Eingaben ausgeblendet.',
  },
  adopt: { en: 'Continue as {current}', de: 'Als {current} fortfahren' },
  signInAs: { en: 'Sign in as {former}', de: 'Als {former} anmelden' },
  endsOther: {
    en: 'Signing in ends the session of {current} in every tab of this browser.',
    de: 'Das Anmelden beendet die Sitzung von {current} in allen Tabs dieses Browsers.',
  },
  factorTitle: { en: 'Set up a second factor', de: 'Zweiten Faktor einrichten' },
  factorWhy: {
    en: 'This identity needs a code from an authenticator app in addition to its password. Scan the code with the app, enter the key in the app, or open the link on the device that has the app.',
    de: 'Diese Identität braucht zusätzlich zum Passwort einen Code aus einer Authenticator-App. Scannen Sie den Code mit der App, geben Sie dort den Schlüssel ein, oder öffnen Sie den Link auf dem Gerät mit der App.',
  },
  qrCode: {
    en: 'QR code of the key below, for the authenticator app',
    de: 'QR-Code des Schlüssels darunter, für die Authenticator-App',
  },
  openApp: { en: 'Open in the app', de: 'In der App öffnen' },
  firstCode: { en: 'First code from the app', de: 'Erster Code aus der App' },
  factorConfirm: { en: 'Enable', de: 'Aktivieren' },
  recovery: {
    en: 'Store these codes in a safe place. Each replaces one code from the app, once. They are shown only now.',
    de: 'Bewahren Sie diese Codes sicher auf. Jeder ersetzt einmal einen Code der App. Sie werden nur jetzt angezeigt.',
  },
  kept: { en: 'I have stored them: sign in', de: 'Ich habe sie aufbewahrt: anmelden' },
  changeTitle: { en: 'Choose a new password', de: 'Neues Passwort wählen' },
  changeWhy: {
    en: 'Change the password of {name} before you continue.',
    de: 'Ändern Sie das Passwort von {name}, bevor Sie fortfahren.',
  },
  ownPassword: { en: 'Change password', de: 'Passwort ändern' },
  ownPasswordEnds: {
    en: 'The change ends all your sessions, including this one.',
    de: 'Die Änderung beendet alle Ihre Sitzungen, auch diese.',
  },
  passwordChanged: {
    en: 'The password has been changed, and all sessions of {name} have ended. Sign in with the new password.',
    de: 'Das Passwort ist geändert, und alle Sitzungen von {name} sind beendet. Melden Sie sich mit dem neuen Passwort an.',
  },
  newPassword: { en: 'New password', de: 'Neues Passwort' },
  repeat: { en: 'Repeat new password', de: 'Neues Passwort wiederholen' },
  different: { en: 'The passwords do not match.', de: 'Die Passwörter stimmen nicht überein.' },
  change: { en: 'Change and sign in', de: 'Ändern und anmelden' },
} as const satisfies Readonly<Record<string, Text>>;
