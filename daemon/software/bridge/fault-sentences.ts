/** English sentences of what bundles wait for, by their code. */
export const BRIDGE_FAULTS = {
  SETTINGS_AWAITED: 'waits for its settings:',
  SEE_COMMAND: 'see "{command}"',
} as const;
