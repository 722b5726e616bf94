import type { ModelledAsset } from '../plant/plant-model.ts';
import type { Point } from '../world/truth.ts';
import type { AssetClient } from './asset-client.ts';
import { createPerson } from './person.ts';
import type { Person } from './person.ts';
import { createRead } from './reader.ts';
import type { PlantPersonParts } from './reader.ts';

export interface CrowdedReaderParts extends PlantPersonParts {
  /** Further clients, who all want another asset. */
  readonly others: readonly AssetClient[];
  /** Milliseconds since the moment from which on everything on the way to a point was well; undefined while it is not. */
  readonly calmMs: (pid: string, point: Point) => number | undefined;
}

/** What one client reads, and what the others want at the same time. */
interface Choice {
  readonly asset: ModelledAsset;
  readonly wanted: ModelledAsset;
}

/** A read during which everything on the way to its points was well. */
interface CalmRead {
  readonly asset: ModelledAsset;
  readonly points: readonly Point[];
  /** From when to when a request of it may have waited in the gateway. */
  readonly fromMs: number;
  readonly toMs: number;
}

interface Crowding {
  /** Undefined: there is nothing to see at present. */
  readonly choose: () => Choice | undefined;
  /** What the others read first, so that their credentials are known. */
  readonly warmUp: (choice: Choice) => { readonly asset: ModelledAsset; readonly names?: readonly string[] };
  /** How often each of the others reads. */
  readonly rounds: number;
  readonly check: (read: CalmRead) => void;
}

const ROUNDS = 3;
const ALL = { names: undefined, maximumAgeMs: 0 };
// A pair of BASIC credentials that was right is not checked again for a minute: from then on only the way takes its time.
const WARM_UP = { names: undefined, maximumAgeMs: 60_000 };
const LONGEST_WAY_MS = 60;

/** Creates a client who reads one asset again and again, while many read parts of another one. */
export function createCrowdedReader(parts: CrowdedReaderParts, crowding: Crowding): Person {
  const { name, client, others, time, calmMs } = parts;
  const readOwn = createRead(parts);
  const readers = others.map((other, index) =>
    createRead({ ...parts, name: `${name}-${index + 1}`, client: other }),
  );

  return createPerson(
    parts,
    async () => {
      const choice = crowding.choose();
      if (choice === undefined) return;
      const { asset, wanted } = choice;
      const first = crowding.warmUp(choice);
      await Promise.all([
        readOwn(asset, WARM_UP),
        ...readers.map((read) => read(first.asset, { ...WARM_UP, names: first.names })),
      ]);
      const crowd = readers.map(async (read, index) => {
        const names = namesBut(parts, wanted, index);
        for (let round = 0; round < crowding.rounds && names.length > 0; round += 1)
          await read(wanted, { names, maximumAgeMs: 0 });
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
    const sentMs = time.monotonicMs();
    await readOwn(asset, ALL);
    const answeredMs = time.monotonicMs();
    const points = pointsOf(parts, asset, sentMs);
    if (points.some((point) => (calmMs(asset.pid, point) ?? -1) < answeredMs - sentMs)) return;
    if (points.length > 0)
      crowding.check({
        asset,
        points,
        fromMs: sentMs + LONGEST_WAY_MS,
        toMs: answeredMs,
      });
  }
}

/** Lists what can be read of an asset but for one channel, so that no two of a crowd wait for the same read. */
export function namesBut(
  parts: Pick<CrowdedReaderParts, 'model' | 'time'>,
  asset: ModelledAsset,
  leftOut: number,
): readonly string[] {
  const readable = pointsOf(parts, asset).filter(({ channel }) => channel.type !== 'WRITE');
  return readable.flatMap(({ channel }, index) => (index === leftOut ? [] : [channel.name]));
}

/** Lists the points of an asset whose configuration has been the same since then; none where it was changed. */
export function pointsOf(
  { model, time }: Pick<CrowdedReaderParts, 'model' | 'time'>,
  { pid }: ModelledAsset,
  fromMs = time.monotonicMs(),
): readonly Point[] {
  const versions = model.versionsBetween(pid, fromMs, time.monotonicMs());
  return versions.length === 1 ? [...(versions[0]?.channels?.values() ?? [])] : [];
}
