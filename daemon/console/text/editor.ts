import type { Text } from './text.ts';

/** Texts of the configuration editor. */
export const EDITOR = {
  help: {
    en: 'Tab leaves the text. Ctrl+Space: suggestions. Ctrl+F: find. F8: next error.',
    de: 'Tab verlässt den Text. Strg+Leertaste: Vorschläge. Strg+F: suchen. F8: nächster Fehler.',
  },
  plain: {
    en: 'Cannot load the editor. You can still edit the text, without suggestions.',
    de: 'Der Editor konnte nicht geladen werden. Sie können den Text trotzdem bearbeiten, ohne Vorschläge.',
  },
  find: { en: 'Find', de: 'Suchen' },
  next: { en: 'Next', de: 'Weiter' },
  previous: { en: 'Previous', de: 'Zurück' },
  matchCase: { en: 'Match case', de: 'Groß- und Kleinschreibung' },
  places: { en: '{place} of {count}', de: '{place} von {count}' },
  nowhere: { en: 'Not found', de: 'Nicht gefunden' },
  foundInLine: { en: 'Found in line {line}', de: 'Gefunden in Zeile {line}' },
  replaceBy: { en: 'Replace with', de: 'Ersetzen durch' },
  replace: { en: 'Replace', de: 'Ersetzen' },
  replaceAll: { en: 'Replace all', de: 'Alle ersetzen' },
  close: { en: 'Close', de: 'Schließen' },
  required: { en: 'required', de: 'Pflicht' },
  secret: { en: 'secret', de: 'geheim' },
  standard: { en: 'default {value}', de: 'Standard {value}' },
  always: { en: 'always {value}', de: 'immer {value}' },
  oneOf: { en: 'one of {values}', de: 'eines von {values}' },
  range: { en: '{from} to {to}', de: '{from} bis {to}' },
  atLeast: { en: 'at least {from}', de: 'mindestens {from}' },
  atMost: { en: 'at most {to}', de: 'höchstens {to}' },
  or: { en: 'or', de: 'oder' },
  integer: { en: 'whole number', de: 'ganze Zahl' },
  number: { en: 'number', de: 'Zahl' },
  string: { en: 'text', de: 'Text' },
  boolean: { en: 'true or false', de: 'true oder false' },
  array: { en: 'list', de: 'Liste' },
  object: { en: 'group of settings', de: 'Gruppe von Einstellungen' },
  null: { en: 'null', de: 'null' },
} as const satisfies Readonly<Record<string, Text>>;

/** Translations of phrases of the editor library, by its own phrases. */
export const EDITOR_PHRASES = {
  'Selection deleted': { en: 'Selection deleted', de: 'Auswahl gelöscht' },
  Completions: { en: 'Suggestions', de: 'Vorschläge' },
  'Control character': { en: 'Control character', de: 'Steuerzeichen' },
} as const satisfies Readonly<Record<string, Text>>;
