import { GERMAN_DRIVER_FAULTS } from './driver-faults.ts';

/** Sentences about errors in documents in German, by their code, with the values of the English ones. */
export const GERMAN_FAULTS: Readonly<Record<string, string>> = {
  ...GERMAN_DRIVER_FAULTS,
  MISSING: 'fehlt',
  KEY_UNKNOWN: 'ist kein bekannter Schlüssel',
  KEY_SIMILAR: 'meinten Sie „{key}“?',
  EXPECTED_KEYS: 'erwartet: {keys}',
  KEY_OF_OTHER_CHOICE:
    'gehört zu {choice} {wanted}, aber {choice} ist hier {chosen}; entfernen Sie diesen Schlüssel, oder ändern Sie {choice}',
  EXPECTED_KIND: 'erwartet: {kinds}',
  EXPECTED_KIND_FOUND: 'erwartet: {kinds}, gefunden: {found}',
  EXPECTED_FINITE: 'erwartet: {kinds}, nicht unendlich',
  EXPECTED_VALUE: 'erwartet: {value}',
  EXPECTED_VALUES: 'erwartet: {values}',
  EXPECTED_AT_MOST: 'höchstens {bound} erlaubt',
  EXPECTED_AT_LEAST: 'mindestens {bound} nötig',
  EXPECTED_LESS: 'muss kleiner als {bound} sein',
  EXPECTED_MORE: 'muss größer als {bound} sein',
  EXPECTED_AT_MOST_CHARACTERS: 'zu lang, höchstens {bound} Zeichen erlaubt',
  EXPECTED_AT_LEAST_CHARACTERS: 'zu kurz, Mindestlänge in Zeichen: {bound}',
  EXPECTED_AT_MOST_BYTES: 'zu lang, höchstens {bound} Bytes erlaubt',
  EXPECTED_AT_MOST_ITEMS: 'zu viele Einträge, erlaubt sind höchstens {bound}',
  EXPECTED_AT_LEAST_ITEMS: 'zu wenige Einträge, nötig sind mindestens {bound}',
  EXPECTED_VISIBLE: 'erwartet: nur sichtbare Zeichen',
  EXPECTED_PID: 'erwartet: ein Name ohne Leerraum und ohne die Zeichen # / + ,',
  EXPECTED_PID_START: 'darf nicht mit _ beginnen',
  EXPECTED_CHANNEL_NAME: 'erwartet: ein Name ohne Leerraum und ohne die Zeichen # / + ,',
  EXPECTED_NOT_ZERO: 'darf nicht 0 sein',
  EXPECTED_PATH: 'erwartet: ein absoluter Pfad',
  KEYS_TOGETHER: 'fehlt; {names} gehören zusammen',
  USED_TWICE: '„{name}“ ist doppelt vergeben',
  DRIVER_TYPE_UNKNOWN: '„{type}“ ist kein Treibertyp; erwartet: {types}',
  DRIVER_UNKNOWN: 'Die Verbindung „{driver}“ gibt es nicht',
  ASSET_UNKNOWN: 'Das Asset „{asset}“ gibt es nicht',
  CHANNEL_OF_ASSET_UNKNOWN: 'Den Kanal „{channel}“ des Assets „{asset}“ gibt es nicht',
  CHANNEL_ONLY_WRITTEN: 'Der Kanal „{channel}“ kann nur geschrieben werden',
  PARAMETERS_WITHOUT_TEMPLATE: 'Parameter brauchen eine Vorlage',
  TEMPLATE_OF_OTHER_TYPE:
    'Die Vorlage „{template}“ ist für den Treibertyp {wanted}, die Verbindung des Assets hat den Typ {type}',
  SECRET_NOT_STORED: 'Hier ist kein Geheimnis gespeichert; geben Sie es ein',
  SECRET_OF_OTHER_DRIVER_TARGET:
    'Adresse oder Schutz dieser Verbindung sind geändert ({changed}): Geben Sie {secret} neu ein',
  SECRET_OF_OTHER_BUNDLE_TARGET:
    'Adresse oder Schutz dieses Bundles sind geändert ({changed}): Geben Sie {secret} neu ein',
};

/** Kinds of values in German, by their name in JSON Schema. */
export const GERMAN_KINDS: Readonly<Record<string, string>> = {
  string: 'ein Text',
  number: 'eine Zahl',
  int: 'eine ganze Zahl',
  boolean: 'true oder false',
  array: 'eine Liste',
  object: 'ein Objekt mit Schlüsseln',
  record: 'ein Objekt mit Schlüsseln',
  null: 'null',
};
