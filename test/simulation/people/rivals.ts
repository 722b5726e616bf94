import { createCrowdedReader, namesBut } from './crowded-reader.ts';
import type { CrowdedReaderParts } from './crowded-reader.ts';
import type { Person } from './person.ts';

const ROUNDS = 3;
// Of the way back, which is no waiting.
const LONGEST_WAY_MS = 60;

/**
 * Creates a client who reads one unit again and again, while many read parts of another one on the same connection; checks
 * `healthy-pace`.
 */
export function createRivals(parts: CrowdedReaderParts): Person {
  const { name, random, model, pace } = parts;
  return createCrowdedReader(parts, {
    rounds: ROUNDS,
    choose() {
      const asset = random.pick(model.list());
      const neighbours = model.list().filter(({ pid, part }) => part === asset.part && pid !== asset.pid);
      if (asset.part.load === undefined || neighbours.length === 0) return undefined;
      return { asset, wanted: random.pick(neighbours) };
    },
    warmUp: ({ wanted }) => ({ asset: wanted, names: namesBut(parts, wanted, 0) }),
    check({ asset, points: [first, ...others], fromMs, toMs }) {
      if (first?.unitId === undefined || others.some(({ unitId }) => unitId !== first.unitId)) return;
      const { part } = asset;
      pace.checkTurns({ who: name, part, unitId: first.unitId, fromMs, toMs: toMs - LONGEST_WAY_MS });
    },
  });
}
