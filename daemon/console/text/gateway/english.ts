import { ENGLISH_CAUSES } from './english-causes.ts';
import { ENGLISH_REFUSALS } from './english-refusals.ts';

/** Meanings of error codes in English, for what the gateway reports by code alone. Loaded on demand: most pages show its messages. */
export const ENGLISH_MEANINGS: Readonly<Record<string, string>> = { ...ENGLISH_REFUSALS, ...ENGLISH_CAUSES };
