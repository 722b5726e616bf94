/**
 * English sentences of errors in documents, by their code. `{name}` is replaced by a value; `{kinds}` and `{found}` by words for the
 * kinds of JSON Schema.
 */
export const FAULT_SENTENCES = {
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
  EXPECTED_VISIBLE: 'expected visible characters',
  EXPECTED_PID: 'expected a pid without white space and the characters # / + ,',
  EXPECTED_PID_START: 'expected a pid that does not begin with _',
  EXPECTED_CHANNEL_NAME: 'expected a name without white space and without the characters # / + ,',
  EXPECTED_NOT_ZERO: 'expected a number other than 0',

  EXPECTED_PATH: 'expected an absolute path',
  EXPECTED_NODE_ID: 'expected a NodeId, for example ns=2;s=Boiler.Level or nsu=urn:vendor:device;i=1001',
  EXPECTED_TIME_ZONE: 'expected UTC, an offset such as +01:00, or a name such as Europe/Berlin',
  USED_TWICE: '"{name}" is used twice',
  DRIVER_TYPE_UNKNOWN: '"{type}" is not a driver type; expected one of {types}',
  DRIVER_UNKNOWN: 'unknown driver "{driver}"',
  ASSET_UNKNOWN: 'unknown asset "{asset}"',
  CHANNEL_OF_ASSET_UNKNOWN: 'asset "{asset}": unknown channel "{channel}"',
  CHANNEL_ONLY_WRITTEN: 'channel "{channel}" can only be written',
  PARAMETERS_WITHOUT_TEMPLATE: 'parameters require a template',
  TEMPLATE_OF_OTHER_TYPE:
    'template "{template}" is for driver type {wanted}; the driver of the asset has type {type}',
  SECRET_NOT_STORED: 'no stored secret to keep; expected the secret itself',
  SECRET_OF_OTHER_DRIVER_TARGET:
    'the address or protection of this driver changed ({changed}): enter the {secret} again',
  SECRET_OF_OTHER_BUNDLE_TARGET:
    'the address or protection of this bundle changed ({changed}): enter the {secret} again',
  BITS_ONLY_BOOLEAN: '{table} holds single bits; expected BOOLEAN, or no dataType',
  BITS_WITHOUT_BIT: 'only registers have bits; {table} is addressed by offset',
  DATA_TYPE_MISSING: 'is missing; expected the type of the values in {table}',
  BIT_MISSING: 'is missing; a BOOLEAN in a register needs its bit, 0..15',
  BIT_ONLY_OF_BOOLEAN: 'only BOOLEAN has a bit, not {type}',
  LENGTH_MISSING: 'is missing; {type} needs its length in bytes',
  LENGTH_ONLY_OF_TEXT: 'only STRING and BYTES have a length',
  VALUE_TYPE_UNSUITABLE: '{type} cannot be {valueType}; expected {valueTypes}',
  VALUE_TYPE_OF_ARRAY_UNSUITABLE: 'an array of {type} cannot be {valueType}; expected {valueTypes}',
  TABLE_NOT_WRITABLE: '{table} cannot be written; expected COILS or HOLDING_REGISTERS, or type READ',
} as const satisfies Readonly<Record<string, string>>;

/** Code of an error in a document. */
export type FaultCode = keyof typeof FAULT_SENTENCES;
