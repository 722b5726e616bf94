import type { StreamEnd } from '../live/event-stream.ts';
import { STREAM_ENDS } from '../text/assets.ts';
import { fill } from '../text/fill.ts';
import type { Text } from '../text/text.ts';
import { translateFailure } from './gateway-words.ts';

const ENDS: Readonly<Record<string, Text>> = STREAM_ENDS;

/** Returns the cause of a lost stream in the current language; empty if the gateway gave none. */
export function explainStreamEnd({ code, reason }: Pick<StreamEnd, 'code' | 'reason'>): string {
  const words = ENDS[code ?? ''];
  return words === undefined ? translateFailure({ code, message: reason }) : fill(words);
}
