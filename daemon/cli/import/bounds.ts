import { unreadable } from './imported.ts';

// A parsed element takes hundreds of bytes: a file of the shortest elements would take gigabytes. A real snapshot of 16 MiB
// has fewer.
const MAXIMUM_MARKS = 800_000;
// Three times the maximum number of channels of the gateway.
const MAXIMUM_OBJECTS = 300_000;

/**
 * Checks that the elements of an XML document fit into memory.
 *
 * @throws {CommandError} `IMPORT_UNREADABLE`
 */
export function checkElements(text: string): void {
  if (count(text, '<', MAXIMUM_MARKS) <= MAXIMUM_MARKS) return;
  throw unreadable(`more than ${MAXIMUM_MARKS} XML tags; split the file`);
}

/**
 * Checks that the objects of a JSON document fit into memory.
 *
 * @throws {CommandError} `IMPORT_UNREADABLE`
 */
export function checkObjects(text: string): void {
  if (
    count(text, '{', MAXIMUM_OBJECTS) <= MAXIMUM_OBJECTS &&
    count(text, '[', MAXIMUM_OBJECTS) <= MAXIMUM_OBJECTS
  )
    return;
  throw unreadable(`more than ${MAXIMUM_OBJECTS} objects or lists; split the file`);
}

/** Counts a character; stops beyond `most`. */
function count(text: string, character: string, most: number): number {
  let found = 0;
  for (let at = text.indexOf(character); at >= 0 && found <= most; at = text.indexOf(character, at + 1))
    found += 1;
  return found;
}
