/** English sentences of errors in sections of the managed configuration, by their code. */
export const SETTINGS_FAULTS = {
  EXPECTED_SERVICE_NAME: 'expected letters, digits, dots, hyphens and underscores, at most 64',
  EXPECTED_BUNDLE_NAME: 'expected the symbolic name of a bundle',
  EXPECTED_WITH: 'expected {key} as well',
  EXPECTED_SIGNER: 'expected issuingService, file or pem',
  ISSUING_SERVICE_UNKNOWN:
    'unknown issuing service {service}; expected the pid of one of tokenIssuingServices',
  RETENTION_TOO_SHORT: 'expected at least {bound}, the clockSkewToleranceSeconds of {service}',
  INTERVAL_OR_CHANGE_MISSING: 'either intervalMs or onChange: true is required',
  NOT_WITH_INTERVAL: 'not allowed together with intervalMs',
  ON_CHANGE_MISSING: 'needs onChange: true',
  PORT_REPEATED: 'port {port} is already in {place}',
  EXPECTED_VISIBLE_LINES: 'expected lines of visible characters',
} as const;

/** English sentences of syntax errors in YAML and JSON texts, by `YAML_` and the code of the parser. Its own quote values, which may be secrets. */
export const YAML_SYNTAX_FAULTS = {
  YAML_BAD_ALIAS: 'expected the name of an anchor after *',
  YAML_BAD_DQ_ESCAPE: 'this escape sequence does not exist between double quotes',
  YAML_BAD_INDENT: 'the indentation does not fit, or a closing bracket is missing',
  YAML_BAD_SCALAR_START: 'a value that begins with this character has to be put between quotes',
  YAML_BLOCK_AS_IMPLICIT_KEY:
    'a second ": " in one value; expected one key per line with the indentation of its neighbours, or quotes around the value',
  YAML_BLOCK_IN_FLOW: 'expected a closing bracket before this line',
  YAML_MISSING_CHAR: 'a closing quote, a bracket or a ":" is missing',
  YAML_MULTILINE_IMPLICIT_KEY: 'expected "key: value"; there is no ": ", or the indentation does not fit',
  YAML_MULTIPLE_DOCS: 'a second document begins here; expected only one',
  YAML_NON_STRING_KEY: 'expected a text as key',
  YAML_TAB_AS_INDENT: 'indentation with a tab; expected spaces',
  YAML_TAG_RESOLVE_FAILED: 'tags (words with !) are not used here; expected plain data',
  YAML_UNEXPECTED_TOKEN: 'this is not valid YAML here',
} as const;

/** English sentences of other reasons not to accept a YAML or JSON text, by their code. */
export const YAML_FAULTS = {
  YAML_AT_POSITION: 'line {line}, column {column}:',
  YAML_TOO_DEEP: 'nested too deeply; at most {bound} levels are read',
  YAML_ALIASES_TOO_MANY: 'aliases repeat more than {bound} values, or very long ones',
  YAML_ANCHOR_MISSING: 'no anchor of this name comes before the alias',
  YAML_KEY_REPEATED: 'the key "{key}" is given twice',
  YAML_STRANGE_TEXT: 'the text holds NUL or half of a surrogate pair',
  YAML_NOT_UTF8: 'the text is not UTF-8',
  YAML_TOO_LONG: 'longer than {bound} bytes',
  YAML_TOO_LARGE: 'too large to parse as one text; split it into several files',
  YAML_EMPTY: 'the file is empty, for example after a power failure; expected settings or a comment',
} as const;

/** English sentences of errors in static settings, by their code. */
export const STATIC_FAULTS = {
  EXPECTED_TEXT: 'expected a text',
  EXPECTED_TEXT_NOT_EMPTY: 'expected a text that is not empty',
  EXPECTED_PORTS: 'expected a list of ports, such as [443]',
  EXPECTED_HOST: 'expected an IP address or a host name',
  EXPECTED_ADDRESS_RANGE: 'expected an IP address or a range such as 192.0.2.0/24',
  EXPECTED_ADDRESS_RANGES: 'expected a list of IP addresses or ranges',
  EXPECTED_REACHED_NAME: 'expected a host name without port, such as gateway.example or *.example',
  EXPECTED_HOST_NAMES: 'expected a list of host names',
  EXPECTED_BOOLEAN: 'expected true or false',
  EXPECTED_PLAIN_WEB_URL: 'expected an http or https URL without user name, query and fragment',
  EXPECTED_DIRECTORIES: 'expected a list of directories',
  EXPECTED_SETTINGS: 'expected settings of the form "key: value", one per line',
  EXPECTED_SECTION: 'expected a section with indented keys',
} as const;

/** English sentences of errors in numbers of static settings, by their code. */
export const NUMBER_FAULTS = {
  EXPECTED_PORT_OR_ANY: 'expected a port (0: any free one), a whole number from {minimum} to {maximum}',
  EXPECTED_SECONDS: 'expected a number of seconds, a whole number from {minimum} to {maximum}',
  EXPECTED_MILLISECONDS: 'expected a number of milliseconds, a whole number from {minimum} to {maximum}',
  EXPECTED_EVENTS: 'expected a number of events, a whole number from {minimum} to {maximum}',
  EXPECTED_PORT: 'expected a port, a whole number from {minimum} to {maximum}',
  EXPECTED_BYTES: 'expected a number of bytes, a whole number from {minimum} to {maximum}',
  EXPECTED_ENTRIES: 'expected a number of files and directories, a whole number from {minimum} to {maximum}',
} as const;
