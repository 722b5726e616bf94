/** English sentences of tests and failures of connections, reads and writes with every driver type, by their code. */
export const PLANT_FAILURES = {
  CONNECTION_SILENT: 'no response within {timeoutMs} ms',
  CONNECTION_WAS_CLOSED: 'the connection to {endpoint} was closed',
  CONNECTION_DRIVER_FAILED: 'the driver of {endpoint} failed unexpectedly',
  TEST_CHANNEL: 'channel {channel} of asset {asset}',
} as const;
