import type { Text } from './text.ts';

/** Texts of the frame around all pages. */
export const SHELL = {
  pages: { en: 'Pages', de: 'Seiten' },
  live: { en: 'Live', de: 'Live' },
  // After their number.
  attentionOne: { en: 'needs attention', de: 'Punkt zu prüfen' },
  attentionMany: { en: 'need attention', de: 'Punkte zu prüfen' },
  notKnown: { en: 'State unknown', de: 'Zustand unbekannt' },
  noAnswer: {
    en: 'No response since {time}; data is from then',
    de: 'Keine Antwort seit {time}; Daten von diesem Zeitpunkt',
  },
  stateNotKnown: { en: 'currently unknown', de: 'derzeit unbekannt' },
  nextTry: { en: 'next attempt in {span}', de: 'nächster Versuch in {span}' },
  trying: { en: 'reconnecting', de: 'Verbindung wird aufgebaut' },
  tryNow: { en: 'Now', de: 'Jetzt' },
  discardInput: { en: 'Discard input', de: 'Eingaben verwerfen' },
  signIn: { en: 'Sign in', de: 'Anmelden' },
  signOut: { en: 'Sign out', de: 'Abmelden' },
  localTime: { en: 'Local time', de: 'Ortszeit' },
  language: { en: 'Language', de: 'Sprache' },
  density: { en: 'Rows', de: 'Zeilen' },
  comfortable: { en: 'comfortable', de: 'bequem' },
  compact: { en: 'compact', de: 'kompakt' },
  notStored: { en: 'Settings not stored:', de: 'Einstellungen nicht gespeichert:' },
  zone: { en: 'Time zone', de: 'Zeitzone' },
  skip: { en: 'Skip to the page', de: 'Zum Inhalt' },
  noPage: { en: 'Not found', de: 'Nicht gefunden' },
  unknownPage: { en: 'This page does not exist.', de: 'Diese Seite gibt es nicht.' },
  pageNotLoaded: {
    en: 'Cannot load this page: the gateway was unreachable or runs another version now.',
    de: 'Diese Seite konnte nicht geladen werden: Das Gateway war nicht erreichbar oder hat jetzt eine andere Version.',
  },
  newVersion: {
    en: 'The gateway has a new version of this console.',
    de: 'Das Gateway hat eine neue Version dieser Konsole.',
  },
  reload: { en: 'Reload the console', de: 'Konsole neu laden' },
  notPermitted: {
    en: 'This page requires the permission “{permission}”. {name} does not have it.',
    de: 'Diese Seite erfordert die Berechtigung „{permission}“. {name} hat sie nicht.',
  },
  retry: { en: 'Try again', de: 'Erneut versuchen' },
  details: { en: 'Details', de: 'Details' },
  user: { en: 'User menu of {name}', de: 'Benutzermenü von {name}' },
  requestId: { en: 'Request {id}', de: 'Anfrage {id}' },
  gatewaySilent: { en: 'The gateway does not respond.', de: 'Das Gateway antwortet nicht.' },
  notSignedIn: {
    en: 'Nothing was sent: the session has ended.',
    de: 'Nichts wurde gesendet: Die Sitzung ist beendet.',
  },
  copy: { en: 'Copy', de: 'Kopieren' },
  close: { en: 'Close', de: 'Schließen' },
  cancel: { en: 'Cancel', de: 'Abbrechen' },
  menu: { en: 'Menu', de: 'Menü' },
  stay: { en: 'Stay signed in', de: 'Angemeldet bleiben' },
  sessionEnds: {
    en: 'No activity: the session ends in {span}. Your input stays.',
    de: 'Keine Aktivität: Die Sitzung endet in {span}. Ihre Eingaben bleiben.',
  },
} as const satisfies Readonly<Record<string, Text>>;
