/**
 * English sentences of errors in any document, by their code. `{name}` is replaced by a value; `{kinds}` and `{found}` by words for the
 * kinds of JSON Schema.
 */
export const BASE_FAULTS = {
  AT_KEY: '{key}:',
  MISSING: 'is missing',
  KEY_UNKNOWN: 'is not a known key',
  KEY_SIMILAR: 'did you mean "{key}"?',
  EXPECTED_KEYS: 'expected one of {keys}',
  KEY_OF_OTHER_CHOICE:
    'belongs to {choice} {wanted}, and {choice} is {chosen} here; remove this key, or change {choice}',
  EXPECTED_KIND: 'expected {kinds}',
  EXPECTED_KIND_FOUND: 'expected {kinds}, found {found}',
  EXPECTED_FINITE: 'expected {kinds} that is finite',
  EXPECTED_VALUE: 'expected {value}',
  EXPECTED_VALUES: 'expected one of {values}',
  EXPECTED_AT_MOST: 'expected at most {bound}',
  EXPECTED_AT_LEAST: 'expected at least {bound}',
  EXPECTED_LESS: 'expected less than {bound}',
  EXPECTED_MORE: 'expected more than {bound}',
  EXPECTED_AT_MOST_CHARACTERS: 'expected at most {bound} characters',
  EXPECTED_AT_LEAST_CHARACTERS: 'expected at least {bound} characters',
  EXPECTED_AT_MOST_ITEMS: 'expected at most {bound} items',
  EXPECTED_AT_LEAST_ITEMS: 'expected at least {bound} items',
  EXPECTED_AT_MOST_VALUES: 'expected at most {bound} values',
  EXPECTED_VISIBLE: 'expected visible characters',
  EXPECTED_PATH: 'expected an absolute path',
  USED_TWICE: '"{name}" is used twice',
  EXPECTED_AT_MOST_BYTES: 'expected at most {bound} bytes',
  KEYS_TOGETHER: 'is missing; set {names} together',
  EXPECTED_AT_MOST_ROWS: 'expected at most {bound} rows',
  EXPECTED_AT_MOST_COLUMNS: 'expected at most {bound} columns',
  EXPECTED_AT_MOST_CHARACTERS_IN_CELL: 'expected at most {bound} characters in a cell',
  NUL_IN_TEXT: 'the text contains NUL',
  CLOSING_QUOTE_MISSING: 'a closing quote is missing',
  SEPARATOR_MISSING: 'expected a separator after the quote',
} as const;
