/** Sentence of a failure in words of others: of a device, the system or a library. */
export const QUOTES = { QUOTED: '{message}' } as const;
