import type { ModelledAsset } from '../plant/plant-model.ts';
import type { Point } from '../world/truth.ts';
import type { AssetClient } from './asset-client.ts';
import { createPerson } from './person.ts';
import type { Person } from './person.ts';
import { createRead } from './reader.ts';
import type { PlantPersonParts } from './reader.ts';

interface RivalsParts extends PlantPersonParts {
  /** Further clients, who all want another device on the same connection. */
  readonly others: readonly AssetClient[];
  /** Milliseconds since the moment from which on everything on the way to a point was well; undefined while it is not. */
  readonly calmMs: (pid: string, point: Point) => number | undefined;
}

const ROUNDS = 3;
const ALL = { names: undefined, maximumAgeMs: 0 };
// A pair of BASIC credentials that was right is not checked again for a minute: from then on only the way takes its time.
const WARM_UP = { names: undefined, maximumAgeMs: 60_000 };
const LONGEST_WAY_MS = 60;

/**
 * Creates a client who reads one unit again and again, while many read parts of another one on the same connection; checks
 * `healthy-pace`.
 */
export function createRivals(parts: RivalsParts): Person {
  const { name, client, others, random, model, time, pace, calmMs } = parts;
  const readOwn = createRead(parts);
  const readers = others.map((other, index) =>
    createRead({ ...parts, name: `${name}-${index + 1}`, client: other }),
  );

  return createPerson(
    parts,
    async () => {
      const asset = random.pick(model.list());
      const neighbours = model.list().filter(({ pid, part }) => part === asset.part && pid !== asset.pid);
      if (asset.part.load === undefined || neighbours.length === 0) return;
      const neighbour = random.pick(neighbours);
      await Promise.all([
        readOwn(asset, WARM_UP),
        ...readers.map((read) => read(neighbour, { ...WARM_UP, names: namesOf(neighbour, 0) })),
      ]);
      const crowd = readers.map(async (read, index) => {
        const names = namesOf(neighbour, index);
        for (let round = 0; round < ROUNDS && names.length > 0; round += 1)
          await read(neighbour, { names, maximumAgeMs: 0 });
      });
      for (let round = 0; round < ROUNDS; round += 1) await readAndCheck(asset);
      await Promise.all(crowd);
    },
    () => {
      client.close();
      for (const other of others) other.close();
    },
  );

  async function readAndCheck(asset: ModelledAsset): Promise<void> {
    const { pid, part } = asset;
    const sentMs = time.monotonicMs();
    await readOwn(asset, ALL);
    const answeredMs = time.monotonicMs();
    const points = pointsOf(pid, sentMs);
    const [first] = points;
    if (first?.unitId === undefined || points.some(({ unitId }) => unitId !== first.unitId)) return;
    if (points.some((point) => (calmMs(pid, point) ?? 0) < answeredMs - sentMs)) return;
    pace.checkTurns({
      who: name,
      part,
      unitId: first.unitId,
      fromMs: sentMs + LONGEST_WAY_MS,
      toMs: answeredMs - LONGEST_WAY_MS,
    });
  }

  // Each leaves out another channel, so that no two wait for the same read.
  function namesOf({ pid }: ModelledAsset, leftOut: number): readonly string[] {
    const readable = pointsOf(pid, time.monotonicMs()).filter(({ channel }) => channel.type !== 'WRITE');
    return readable.flatMap(({ channel }, index) => (index === leftOut ? [] : [channel.name]));
  }

  function pointsOf(pid: string, fromMs: number): readonly Point[] {
    const versions = model.versionsBetween(pid, fromMs, time.monotonicMs());
    return versions.length === 1 ? [...(versions[0]?.channels?.values() ?? [])] : [];
  }
}
