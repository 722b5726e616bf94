import { unreadable } from './imported.ts';

// A parsed element takes hundreds of bytes: a file full of the shortest ones would take gigabytes. A snapshot of 16 MiB with
// real properties has less.
const MAXIMUM_MARKS = 800_000;
// Three times as many as the channels that the gateway takes.
const MAXIMUM_OBJECTS = 300_000;

/**
 * Checks that an XML document has not so many elements that memory would not do for them.
 *
 * @throws {CommandError} `IMPORT_UNREADABLE`
 */
export function checkElements(text: string): void {
  if (count(text, '<', MAXIMUM_MARKS) <= MAXIMUM_MARKS) return;
  throw unreadable(`it has more than ${MAXIMUM_MARKS} marks of elements; split it`);
}

/**
 * Checks that a JSON document has not so many objects that memory would not do for them.
 *
 * @throws {CommandError} `IMPORT_UNREADABLE`
 */
export function checkObjects(text: string): void {
  if (
    count(text, '{', MAXIMUM_OBJECTS) <= MAXIMUM_OBJECTS &&
    count(text, '[', MAXIMUM_OBJECTS) <= MAXIMUM_OBJECTS
  )
    return;
  throw unreadable(`it has more than ${MAXIMUM_OBJECTS} objects or lists; split it`);
}

/** Counts a character, and stops after so many. */
function count(text: string, character: string, most: number): number {
  let found = 0;
  for (let at = text.indexOf(character); at >= 0 && found <= most; at = text.indexOf(character, at + 1))
    found += 1;
  return found;
}
