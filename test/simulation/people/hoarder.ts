import { delay } from '../../../daemon/base/clock.ts';
import { RESERVED_BYTES } from '../recording/simulated-disk.ts';
import type { SimulatedDisk } from '../recording/simulated-disk.ts';
import { createPerson } from './person.ts';
import type { Person, PersonParts } from './person.ts';

const MEBIBYTE = 2 ** 20;
const MUCH = 4 * 2 ** 30;
const LONGEST_MS = 600_000;

/** Creates a person whose files fill the disk of the gateway for a while, and whose cable lets it fail. */
export function createHoarder(parts: PersonParts & { readonly disk: SimulatedDisk }): Person {
  const { name: who, time, random, chronicle, disk } = parts;
  return createPerson(parts, async () => {
    const isFailing = random.chance(0.3);
    chronicle.note(who, isFailing ? 'lets the disk fail' : 'fills the disk');
    if (isFailing) disk.setFailing(true);
    else disk.setFree(RESERVED_BYTES - random.integer(1, 200) * MEBIBYTE);
    await delay(time, random.integer(500, LONGEST_MS));
    // Some room is not enough.
    if (random.chance(0.5)) {
      disk.setFailing(false);
      disk.setFree(RESERVED_BYTES + random.integer(0, 30) * MEBIBYTE);
      await delay(time, random.integer(500, LONGEST_MS / 4));
    }
    disk.setFailing(false);
    disk.setFree(MUCH);
    chronicle.note(who, 'leaves room on the disk');
  });
}
