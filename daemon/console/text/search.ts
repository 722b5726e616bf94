import type { Text } from './text.ts';

/** Texts of the search. */
export const SEARCH = {
  title: { en: 'Search', de: 'Suche' },
  hint: {
    en: 'Assets, channels, settings, pages, identities',
    de: 'Assets, Kanäle, Einstellungen, Seiten, Identitäten',
  },
  page: { en: 'Page', de: 'Seite' },
  asset: { en: 'Asset', de: 'Asset' },
  channel: { en: 'Channel', de: 'Kanal' },
  setting: { en: 'Setting', de: 'Einstellung' },
  driver: { en: 'Connection', de: 'Verbindung' },
  identity: { en: 'Identity', de: 'Identität' },
  none: { en: 'Nothing found for “{text}”.', de: 'Nichts gefunden zu „{text}“.' },
  notLoaded: { en: 'Cannot load the search.', de: 'Die Suche konnte nicht geladen werden.' },
} as const satisfies Readonly<Record<string, Text>>;
