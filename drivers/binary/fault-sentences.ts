/** English sentences of errors in values in bytes, by their code. */
export const BINARY_FAULTS = {
  EXPECTED_TIME_ZONE: 'expected UTC, an offset such as +01:00, or a name such as Europe/Berlin',
  LENGTH_ONLY_OF_TEXT: 'only STRING and BYTES have a length',
} as const;
