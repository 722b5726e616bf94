import type { WorldRecording } from '../recording/world-recording.ts';
import { createPerson } from './person.ts';
import type { Person, PersonParts } from './person.ts';

/** Creates a person who compares the journal with what was recorded. */
export function createArchivist(
  parts: PersonParts & { readonly recording: Pick<WorldRecording, 'check'> },
): Person {
  return createPerson(parts, () => parts.recording.check());
}
