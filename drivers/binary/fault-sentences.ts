/** English sentences of errors in values in bytes, by their code. */
export const BINARY_FAULTS = {
  EXPECTED_TIME_ZONE: 'expected UTC, an offset such as +01:00, or a name such as Europe/Berlin',
  LENGTH_ONLY_OF_TEXT: 'only STRING and BYTES have a length',
  ONLY_OF_STRING: 'only STRING has it, not {type}',
  TIME_ZONE_ONLY_OF_TIMES: 'only times have a time zone, not {type}',
  BYTES_WITHOUT_COUNT: 'BYTES is one value; expected length without count',
  ARRAY_WITH_SCALE: 'the elements of an array are not scaled; expected 1, or no valueScale',
  ARRAY_WITH_OFFSET: 'the elements of an array are not scaled; expected 0, or no valueOffset',
  ENCODING_WITHOUT_CHARACTER: 'the encoding {encoding} has no character "{character}"',
} as const;
