/** English sentences of errors in what the interface declares, by their code. */
export const INTERFACE_FAULTS = {
  EXPECTED_GRANTS: 'expected a list of grants',
  EXPECTED_AT_MOST_GRANTS: 'expected at most {bound} grants',
  EXPECTED_PATTERN: 'expected a pattern such as line1-*',
  EXPECTED_PATTERN_CHARACTERS:
    'expected a pattern such as line1-*, of 1 to 255 visible characters, without white space and without the characters # / + ,',
  EXPECTED_PATTERNS: 'expected a list of patterns',
  EXPECTED_ONE_PATTERN: 'expected at least one pattern',
  EXPECTED_OPERATIONS: 'expected a list of READ and WRITE',
  EXPECTED_ONE_OPERATION: 'expected READ, WRITE or both',
  OPERATION_REPEATED: 'expected each operation once',
  EXPECTED_ZONED_TIME: 'expected a time with zone, such as 2026-12-01T18:00:00Z',
} as const;
