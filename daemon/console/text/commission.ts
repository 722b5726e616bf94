import type { Text } from './language.ts';

/** Texts of commissioning. */
export const COMMISSION = {
  connect: { en: 'Connect a device', de: 'Gerät verbinden' },
  protocol: { en: 'Protocol', de: 'Protokoll' },
  others: { en: 'Other settings', de: 'Weitere Einstellungen' },
  scan: { en: 'Scan', de: 'Suchen' },
  stop: { en: 'Stop', de: 'Anhalten' },
  scanHint: {
    en: 'A scan only reads, one request at a time. Nothing is configured yet.',
    de: 'Die Suche liest nur, eine Anfrage nach der anderen. Noch wird nichts konfiguriert.',
  },
  progress: { en: '{done} of {total}: {text}', de: '{done} von {total}: {text}' },
  found: { en: 'Found', de: 'Gefunden' },
  foundNothing: { en: 'Nothing was found.', de: 'Nichts wurde gefunden.' },
  incomplete: {
    en: 'The scan ended before everything was asked.',
    de: 'Die Suche endete, bevor alles gefragt war.',
  },
  name: { en: 'Name of the connection', de: 'Name der Verbindung' },
  configured: {
    en: 'This device is connected already, as {pid}.',
    de: 'Dieses Gerät ist schon verbunden, als {pid}.',
  },
  assetsToAdd: { en: 'Assets to add', de: 'Anlagen, die hinzukommen' },
  plan: { en: 'Plan', de: 'Plan' },
  planHint: { en: 'Nothing is changed yet.', de: 'Noch ist nichts geändert.' },
  restarts: { en: 'Restarts {connections}.', de: 'Startet neu: {connections}.' },
  restartsNothing: { en: 'No connection is restarted.', de: 'Keine Verbindung startet neu.' },
  comesBack: {
    en: 'Comes back by itself after 2 min unless it is kept.',
    de: 'Wird nach 2 min von selbst zurückgenommen, wenn es nicht behalten wird.',
  },
  apply: { en: 'Apply', de: 'Anwenden' },
  takenBack: { en: 'Taken back in {time}.', de: 'Wird in {time} zurückgenommen.' },
  wasTakenBack: { en: 'It was taken back.', de: 'Es wurde zurückgenommen.' },
  keep: { en: 'Keep', de: 'Behalten' },
  kept: { en: 'Kept.', de: 'Behalten.' },
  toAssets: { en: 'To the assets', de: 'Zu den Anlagen' },
} as const satisfies Readonly<Record<string, Text>>;
