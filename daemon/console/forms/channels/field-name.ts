import { FIELD_NAMES } from '../../text/channels.ts';
import { fill } from '../../text/fill.ts';

/** Returns the name of a channel field for the user. */
export function nameOfField(key: string): string {
  const text = FIELD_NAMES[key];
  return text === undefined ? key : fill(text);
}
