/** English sentences of scans of every driver type, by their code. */
export const SCAN_SENTENCES = {
  SCAN_STOPPED_EARLY: 'the scan stopped early:',
} as const;
