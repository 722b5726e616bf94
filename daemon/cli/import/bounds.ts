import { unreadable } from './imported.ts';

// A parsed element takes hundreds of bytes: a file full of the shortest ones would take gigabytes. A snapshot of 16 MiB with
// real properties has less.
const MOST_MARKS = 800_000;
// Three times as many as the channels that the gateway takes.
const MOST_OBJECTS = 300_000;

/**
 * Checks that an XML document has not so many elements that memory would not do for them.
 *
 * @throws {CommandError} `IMPORT_UNREADABLE`
 */
export function checkElements(text: string): void {
  if (count(text, '<', MOST_MARKS) <= MOST_MARKS) return;
  throw unreadable(`it has more than ${MOST_MARKS} marks of elements; split it`);
}

/**
 * Checks that a JSON document has not so many objects that memory would not do for them.
 *
 * @throws {CommandError} `IMPORT_UNREADABLE`
 */
export function checkObjects(text: string): void {
  if (count(text, '{', MOST_OBJECTS) <= MOST_OBJECTS && count(text, '[', MOST_OBJECTS) <= MOST_OBJECTS)
    return;
  throw unreadable(`it has more than ${MOST_OBJECTS} objects or lists; split it`);
}

/** Counts a character, and stops after so many. */
function count(text: string, character: string, most: number): number {
  let found = 0;
  for (let at = text.indexOf(character); at >= 0 && found <= most; at = text.indexOf(character, at + 1))
    found += 1;
  return found;
}
