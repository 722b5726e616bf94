import type { AssetClient } from './asset-client.ts';
import { createPerson } from './person.ts';
import type { Person } from './person.ts';
import { createRead } from './reader.ts';
import { createWrite } from './writer.ts';
import type { WriterParts } from './writer.ts';

interface CrowdParts extends WriterParts {
  /** Further clients, who come at the same time. */
  readonly others: readonly AssetClient[];
}

const ROUNDS = 4;
const ALL = { names: undefined, maximumAgeMs: 0 };

/** Creates clients who all read one asset at once, again and again, while one of them writes in between. */
export function createCrowd(parts: CrowdParts): Person {
  const { name, client, others, random, model } = parts;
  const [write, readOwn] = [createWrite(parts), createRead(parts)];
  const readers = others.map((other, index) =>
    createRead({ ...parts, name: `${name}-${index + 1}`, client: other }),
  );

  return createPerson(
    parts,
    async () => {
      const asset = random.pick(model.list());
      const rounds = readers.map(async (read) => {
        for (let round = 0; round < ROUNDS; round += 1) await read(asset, ALL);
      });
      for (let round = 0; round < ROUNDS; round += 1) {
        await write(asset.pid);
        await readOwn(asset, ALL);
      }
      await Promise.all(rounds);
    },
    () => {
      client.close();
      for (const other of others) other.close();
    },
  );
}
