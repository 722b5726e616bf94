/** English sentences of errors in tables of channels, by their code. */
export const SHEET_FAULTS = {
  HEADER_MISSING: 'the header row is missing',
  COLUMN_REPEATED: 'duplicate column',
  COLUMN_UNKNOWN: 'unknown column',
  CELLS_BEYOND_COLUMNS: 'more cells than columns',
  EXPECTED_JSON: 'expected JSON after json:',
} as const;
