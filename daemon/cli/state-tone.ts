import type { Tone } from './page.ts';

const TONES: Readonly<Record<string, Tone>> = {
  ANSWERING: 'GOOD',
  BACKING_OFF: 'BAD',
  CONNECTED: 'GOOD',
  CONNECTING: 'DOUBTFUL',
  SUSPENDED: 'BAD',
};

/** Returns the tone of the state of a connection or of a device behind it. */
export function toneOfState(state: string): Tone | undefined {
  return TONES[state];
}
