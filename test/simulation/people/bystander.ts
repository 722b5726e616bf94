import type { ModelledAsset } from '../plant/plant-model.ts';
import type { Point } from '../world/truth.ts';
import type { AssetClient } from './asset-client.ts';
import { createPerson } from './person.ts';
import type { Person } from './person.ts';
import { createRead } from './reader.ts';
import type { PlantPersonParts } from './reader.ts';

interface BystanderParts extends PlantPersonParts {
  /** Further clients, who all want the instrument that is not well. */
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
 * Creates a client who reads an instrument that is well while many want one on another serial line, which is not; checks
 * `healthy-pace`.
 */
export function createBystander(parts: BystanderParts): Person {
  const { name, client, others, random, model, time, pace, calmMs } = parts;
  const readOwn = createRead(parts);
  const readers = others.map((other, index) =>
    createRead({ ...parts, name: `${name}-${index + 1}`, client: other }),
  );

  return createPerson(
    parts,
    async () => {
      const lines = model.list().filter(({ part }) => part.line !== undefined);
      const sick = lines.filter(({ pid }) =>
        pointsOf(pid).some((point) => point.healthySinceMs() === undefined),
      );
      const well = lines.filter(({ pid }) => isCalm(pid, 0));
      if (sick.length === 0 || well.length === 0) return;
      const [asset, other] = [random.pick(well), random.pick(sick)];
      await Promise.all([readOwn(asset, WARM_UP), ...readers.map((read) => read(asset, WARM_UP))]);
      const crowd = readers.map(async (read, index) => {
        const names = pointsOf(other.pid).flatMap(({ channel }, at) => (at === index ? [] : [channel.name]));
        if (names.length > 0) await read(other, { names, maximumAgeMs: 0 });
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
    if (!isCalm(pid, answeredMs - sentMs)) return;
    pace.checkLine({ who: name, part, fromMs: sentMs + LONGEST_WAY_MS, toMs: answeredMs });
  }

  function isCalm(pid: string, sinceMs: number): boolean {
    const points = pointsOf(pid);
    return points.length > 0 && points.every((point) => (calmMs(pid, point) ?? -1) >= sinceMs);
  }

  function pointsOf(pid: string): readonly Point[] {
    const nowMs = time.monotonicMs();
    const versions = model.versionsBetween(pid, nowMs, nowMs);
    return versions.length === 1 ? [...(versions[0]?.channels?.values() ?? [])] : [];
  }
}
