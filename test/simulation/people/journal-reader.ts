import type { JournalConsumer } from '../recording/journal-consumer.ts';
import type { WorldRecording } from '../recording/world-recording.ts';
import { createPerson } from './person.ts';
import type { Person, PersonParts } from './person.ts';

/** Creates a program that reads the journal now and then, and acknowledges what it has dealt with. */
export function createJournalReader(
  parts: PersonParts & { readonly recording: Pick<WorldRecording, 'check' | 'createConsumer'> },
): Person {
  const { name, random, recording } = parts;
  const consumer: JournalConsumer = recording.createConsumer(name);
  return createPerson(parts, async () => {
    await recording.check();
    const turns = random.integer(1, 20);
    for (let turn = 0; turn < turns; turn += 1)
      await consumer.read(random.pick([1, 10, 100, 1000]), (count) =>
        Math.ceil(count * random.pick([0, 0.5, 1, 1])),
      );
  });
}
