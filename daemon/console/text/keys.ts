import type { Text } from './text.ts';

/** Texts of the list of keyboard shortcuts. */
export const KEYS = {
  title: { en: 'Keyboard shortcuts', de: 'Tastenkürzel' },
  everywhere: { en: 'On every page', de: 'Auf jeder Seite' },
  single: {
    en: 'Single-key shortcuts such as g or ?, outside fields',
    de: 'Kürzel aus einer Taste wie g oder ?, außerhalb von Feldern',
  },
  help: { en: 'This list', de: 'Diese Liste' },
  search: { en: 'Search assets, channels, settings', de: 'Assets, Kanäle, Einstellungen suchen' },
  filter: { en: 'Filter of the page', de: 'Filter der Seite' },
  goTo: { en: 'Go to {page}', de: 'Zu {page}' },
  escape: { en: 'Close, go back', de: 'Schließen, zurück' },
  next: { en: 'Next step', de: 'Nächster Schritt' },
  rows: { en: 'Next, previous row', de: 'Nächste, vorherige Zeile' },
  ends: { en: 'First, last row', de: 'Erste, letzte Zeile' },
  open: { en: 'Open the row', de: 'Zeile öffnen' },
  write: { en: 'Write the value', de: 'Wert schreiben' },
  trend: { en: 'Trend of the value', de: 'Trend des Werts' },
  cursor: { en: 'Move the cursor, with Shift further', de: 'Zeiger bewegen, mit Umschalt weiter' },
  zoomBack: { en: 'Zoom back', de: 'Zoom zurück' },
  pause: { en: 'Pause, resume', de: 'Anhalten, fortsetzen' },
  zoom: { en: 'Shorter, longer time range', de: 'Kürzerer, längerer Zeitraum' },
  suggest: { en: 'Suggestions', de: 'Vorschläge' },
  find: { en: 'Find in the text', de: 'Im Text suchen' },
  fault: { en: 'Next error', de: 'Nächster Fehler' },
  comment: { en: 'Comment a line out', de: 'Zeile auskommentieren' },
} as const satisfies Readonly<Record<string, Text>>;

/** Key names that differ between languages. */
export const KEY_NAMES = {
  enter: { en: 'Enter', de: 'Eingabe' },
  submit: { en: 'Ctrl+Enter', de: 'Strg+Eingabe' },
  back: { en: 'Backspace', de: 'Rücktaste' },
  ends: { en: 'Home, End', de: 'Pos1, Ende' },
  suggest: { en: 'Ctrl+Space', de: 'Strg+Leertaste' },
  find: { en: 'Ctrl+F', de: 'Strg+F' },
  search: { en: '/, Ctrl+K', de: '/, Strg+K' },
  comment: { en: 'Ctrl+/', de: 'Strg+/' },
} as const satisfies Readonly<Record<string, Text>>;
