import type { Text } from './text.ts';

/** Texts of the trends. */
export const TRENDS = {
  add: { en: 'Add a channel', de: 'Kanal hinzufügen' },
  addHint: { en: 'asset or channel', de: 'Asset oder Kanal' },
  full: {
    en: 'Six curves at most. Remove one to add another.',
    de: 'Höchstens sechs Kurven. Entfernen Sie eine, um eine andere hinzuzufügen.',
  },
  noMatch: { en: 'No numeric channel matches "{text}".', de: 'Kein Zahlenkanal passt zu „{text}“.' },
  none: {
    en: 'No curves yet. Search for a channel above; the link of this page contains the selection.',
    de: 'Noch keine Kurven. Suchen Sie oben einen Kanal; der Link dieser Seite enthält die Auswahl.',
  },
  noAssets: {
    en: 'No assets yet. Connect a device first.',
    de: 'Noch keine Assets. Verbinden Sie zuerst ein Gerät.',
  },
  unknown: { en: 'unknown channel', de: 'unbekannter Kanal' },
  span: { en: 'Time range', de: 'Zeitraum' },
  pause: { en: 'Pause', de: 'Anhalten' },
  live: { en: 'Live', de: 'Live' },
  paused: { en: 'Paused; values are still collected.', de: 'Angehalten; Werte werden weiter gesammelt.' },
  closer: { en: 'Zoom in', de: 'Vergrößern' },
  wider: { en: 'Zoom out', de: 'Verkleinern' },
  csv: { en: 'CSV', de: 'CSV' },
  png: { en: 'PNG', de: 'PNG' },
  table: { en: 'Table', de: 'Tabelle' },
  plot: { en: 'Curves', de: 'Kurven' },
  fromTo: { en: '{from} to {until}', de: '{from} bis {until}' },
  since: {
    en: 'The gateway stores no history: curves begin with this page, at {time}.',
    de: 'Das Gateway speichert keinen Verlauf: Die Kurven beginnen mit dieser Seite, um {time}.',
  },
  waiting: { en: 'Waiting for the first values.', de: 'Noch keine Werte empfangen.' },
  plotLabel: {
    en: 'Curves of {curves}. Arrow keys move the cursor, m sets a mark, plus and minus zoom.',
    de: 'Kurven von {curves}. Pfeiltasten bewegen den Zeiger, m setzt eine Marke, Plus und Minus zoomen.',
  },
  atTime: { en: 'at {time}', de: 'um {time}' },
  now: { en: 'now', de: 'jetzt' },
  sinceMark: { en: 'since the mark at {time}', de: 'seit der Marke um {time}' },
  curve: { en: 'Curve', de: 'Kurve' },
  value: { en: 'Value', de: 'Wert' },
  unit: { en: 'Unit', de: 'Einheit' },
  difference: { en: 'Change', de: 'Änderung' },
  time: { en: 'Time', de: 'Zeit' },
  remove: { en: 'Remove {curve}', de: '{curve} entfernen' },
  lost: { en: 'no connection to the gateway', de: 'keine Verbindung zum Gateway' },
  missing: { en: 'changes are missing', de: 'Änderungen fehlen' },
  away: { en: 'not collected', de: 'nicht gesammelt' },
  noCurveFile: {
    en: 'Cannot load the curves.',
    de: 'Die Kurven konnten nicht geladen werden.',
  },
} as const satisfies Readonly<Record<string, Text>>;
