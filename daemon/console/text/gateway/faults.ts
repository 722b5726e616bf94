/** Sentences about errors in documents in German, by their code, with the values of the English ones. */
export const GERMAN_FAULTS: Readonly<Record<string, string>> = {
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
  EXPECTED_AT_MOST_ITEMS: 'zu viele Einträge, erlaubt sind höchstens {bound}',
  EXPECTED_AT_LEAST_ITEMS: 'zu wenige Einträge, nötig sind mindestens {bound}',
  EXPECTED_VISIBLE: 'erwartet: nur sichtbare Zeichen',
  EXPECTED_PID: 'erwartet: ein Name ohne Leerraum und ohne die Zeichen # / + ,',
  EXPECTED_PID_START: 'darf nicht mit _ beginnen',
  EXPECTED_CHANNEL_NAME: 'erwartet: ein Name ohne Leerraum und ohne die Zeichen # / + ,',
  EXPECTED_NOT_ZERO: 'darf nicht 0 sein',
  EXPECTED_PATH: 'erwartet: ein absoluter Pfad',
  EXPECTED_NODE_ID:
    'erwartet: eine Knotenadresse, zum Beispiel ns=2;s=Boiler.Level oder nsu=urn:vendor:device;i=1001',
  EXPECTED_TIME_ZONE: 'erwartet: UTC, ein Abstand wie +01:00 oder ein Name wie Europe/Berlin',
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
  BITS_ONLY_BOOLEAN: '{table} enthält einzelne Bits; erwartet: BOOLEAN oder kein dataType',
  BITS_WITHOUT_BIT: 'Nur Register haben Bits; {table} wird mit offset adressiert',
  DATA_TYPE_MISSING: 'fehlt; erwartet: der Datentyp der Werte in {table}',
  BIT_MISSING: 'fehlt; ein BOOLEAN in einem Register braucht sein Bit, 0 bis 15',
  BIT_ONLY_OF_BOOLEAN: 'Nur BOOLEAN hat ein Bit, {type} nicht',
  LENGTH_MISSING: 'fehlt; {type} braucht eine Länge in Bytes',
  LENGTH_ONLY_OF_TEXT: 'Nur STRING und BYTES haben eine Länge',
  VALUE_TYPE_UNSUITABLE: '{type} passt nicht zu {valueType}; erwartet: {valueTypes}',
  VALUE_TYPE_OF_ARRAY_UNSUITABLE: 'Eine Liste von {type} passt nicht zu {valueType}; erwartet: {valueTypes}',
  TABLE_NOT_WRITABLE:
    '{table} ist nicht schreibbar; erwartet: COILS oder HOLDING_REGISTERS, oder der Typ READ',
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
