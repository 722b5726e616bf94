/** English sentences of errors in channels, by their code. */
export const CHANNEL_FAULTS = {
  EXPECTED_CHANNEL_NAME: 'expected a name without white space and without the characters # / + ,',
  EXPECTED_NOT_ZERO: 'expected a number other than 0',
  CHANNEL_ONLY_WRITTEN: 'channel "{channel}" can only be written',
} as const;
