import type { Text } from './text.ts';

/** Texts around all pages. */
export const SHELL = {
  pages: { en: 'Pages', de: 'Seiten' },
  live: { en: 'Live', de: 'Live' },
  needsOne: { en: '1 needs attention', de: '1 braucht Aufmerksamkeit' },
  needsMany: { en: '{count} need attention', de: '{count} brauchen Aufmerksamkeit' },
  notKnown: { en: 'State not known', de: 'Zustand nicht bekannt' },
  noAnswer: {
    en: 'No answer since {time}; what you see is from then',
    de: 'Keine Antwort seit {time}; was Sie sehen, ist von da',
  },
  stateNotKnown: { en: 'not known now', de: 'jetzt nicht bekannt' },
  nextTry: { en: 'next try in {span}', de: 'nächster Versuch in {span}' },
  trying: { en: 'trying now', de: 'Versuch läuft' },
  tryNow: { en: 'Now', de: 'Jetzt' },
  signIn: { en: 'Sign in', de: 'Anmelden' },
  signOut: { en: 'Sign out', de: 'Abmelden' },
  localTime: { en: 'Local time', de: 'Ortszeit' },
  language: { en: 'Language', de: 'Sprache' },
  zone: { en: 'Times', de: 'Zeiten' },
  skip: { en: 'Skip to the page', de: 'Zum Inhalt' },
  unknownPage: { en: 'There is no page of this name.', de: 'Es gibt keine Seite dieses Namens.' },
  pageNotLoaded: {
    en: 'This page could not be loaded: the gateway was away, or runs another version now.',
    de: 'Diese Seite konnte nicht geladen werden: Das Gateway war nicht da oder hat jetzt eine andere Version.',
  },
  reload: { en: 'Reload the console', de: 'Konsole neu laden' },
  notPermitted: {
    en: 'This page needs the permission {permission}. {name} does not have it.',
    de: 'Diese Seite braucht das Recht {permission}. {name} hat es nicht.',
  },
  retry: { en: 'Try again', de: 'Erneut versuchen' },
  requestId: { en: 'Request {id}', de: 'Anfrage {id}' },
  gatewaySilent: { en: 'The gateway does not answer.', de: 'Das Gateway antwortet nicht.' },
  notSignedIn: {
    en: 'Nothing was sent: the session had ended.',
    de: 'Nichts wurde gesendet: Die Sitzung war beendet.',
  },
  copy: { en: 'Copy', de: 'Kopieren' },
  close: { en: 'Close', de: 'Schließen' },
  cancel: { en: 'Cancel', de: 'Abbrechen' },
  search: { en: 'Search', de: 'Suchen' },
  menu: { en: 'Menu', de: 'Menü' },
  stay: { en: 'Stay', de: 'Bleiben' },
  sessionEnds: {
    en: 'Nobody has used this page for a while: the session ends in {span}. What you typed stays.',
    de: 'Diese Seite wurde länger nicht benutzt: Die Sitzung endet in {span}. Was Sie getippt haben, bleibt.',
  },
} as const satisfies Readonly<Record<string, Text>>;
