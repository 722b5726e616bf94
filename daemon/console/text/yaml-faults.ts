import type { Text } from './text.ts';

/** Syntax errors of YAML and JSON texts, by the code of the parser. They quote nothing of the text, which may contain a secret. */
export const YAML_FAULTS = {
  ALIASES: {
    en: 'an alias (*) has no anchor before it, or there are too many aliases',
    de: 'ein Alias (*) hat keinen Anker davor, oder es gibt zu viele Aliase',
  },
  ALIAS_PROPS: {
    en: 'an alias (*) cannot have an anchor or a tag',
    de: 'ein Alias (*) kann weder Anker noch Tag haben',
  },
  BAD_ALIAS: {
    en: 'a name is missing after * or &, or is not allowed',
    de: 'nach * oder & fehlt ein Name, oder er ist nicht erlaubt',
  },
  BAD_COLLECTION_TYPE: { en: 'this tag does not fit the value', de: 'dieses Tag passt nicht zum Wert' },
  BAD_DIRECTIVE: {
    en: 'this line begins with % and is not a known directive',
    de: 'diese Zeile beginnt mit % und ist keine bekannte Direktive',
  },
  BAD_DQ_ESCAPE: {
    en: 'this escape sequence does not exist between double quotes',
    de: 'diese Escape-Sequenz gibt es zwischen doppelten Anführungszeichen nicht',
  },
  BAD_INDENT: {
    en: 'the indentation does not fit, or a closing bracket is missing',
    de: 'die Einrückung passt nicht, oder eine schließende Klammer fehlt',
  },
  BAD_PROP_ORDER: {
    en: 'an anchor or tag must come directly before its value',
    de: 'ein Anker oder Tag muss direkt vor dem Wert stehen',
  },
  BAD_SCALAR_START: {
    en: 'a value that begins with this character needs quotes',
    de: 'ein Wert, der mit diesem Zeichen beginnt, braucht Anführungszeichen',
  },
  BLOCK_AS_IMPLICIT_KEY: {
    en: 'a second “: ” in one value; write one key per line with the same indentation, or put the value in quotes',
    de: 'ein zweites „: “ in einem Wert; schreiben Sie einen Schlüssel pro Zeile mit gleicher Einrückung, oder setzen Sie den Wert in Anführungszeichen',
  },
  BLOCK_IN_FLOW: {
    en: 'a closing bracket is missing before this line',
    de: 'vor dieser Zeile fehlt eine schließende Klammer',
  },
  DUPLICATE_KEY: { en: 'this key is given twice', de: 'dieser Schlüssel kommt doppelt vor' },
  KEY_OVER_1024_CHARS: {
    en: 'the key is longer than 1024 characters; a closing quote or “: ” may be missing',
    de: 'der Schlüssel ist länger als 1024 Zeichen; vielleicht fehlt ein Anführungszeichen oder „: “',
  },
  MISSING_CHAR: {
    en: 'a closing quote, a bracket or a “:” is missing',
    de: 'ein schließendes Anführungszeichen, eine Klammer oder ein „:“ fehlt',
  },
  MULTILINE_IMPLICIT_KEY: {
    en: 'expected “key: value”; there is no “: ”, or the indentation does not fit',
    de: 'erwartet: „Schlüssel: Wert“; „: “ fehlt, oder die Einrückung passt nicht',
  },
  MULTIPLE_ANCHORS: { en: 'a value can have one anchor (&)', de: 'ein Wert kann nur einen Anker (&) haben' },
  MULTIPLE_DOCS: {
    en: 'a second document begins here; only one is allowed',
    de: 'hier beginnt ein zweites Dokument; nur eines ist erlaubt',
  },
  MULTIPLE_TAGS: { en: 'a value can have one tag (!)', de: 'ein Wert kann nur ein Tag (!) haben' },
  NON_STRING_KEY: { en: 'a key must be a text', de: 'ein Schlüssel muss ein Text sein' },
  RESOURCE_EXHAUSTION: { en: 'nested too deeply', de: 'zu tief verschachtelt' },
  TAB_AS_INDENT: {
    en: 'indentation with a tab; use spaces',
    de: 'Einrückung mit Tabulator; verwenden Sie Leerzeichen',
  },
  TAG_RESOLVE_FAILED: { en: 'this tag (!) is not known', de: 'dieses Tag (!) ist nicht bekannt' },
  UNEXPECTED_TOKEN: { en: 'this is not valid here', de: 'das ist hier nicht gültig' },
} as const satisfies Readonly<Record<string, Text>>;
