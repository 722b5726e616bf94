import type { ModelledAsset } from '../plant/plant-model.ts';
import { createCrowdedReader, pointsOf } from './crowded-reader.ts';
import type { CrowdedReaderParts } from './crowded-reader.ts';
import type { Person } from './person.ts';

/**
 * Creates a client who reads an instrument that is well while many want one on another serial line, which is not; checks
 * `healthy-pace`.
 */
export function createBystander(parts: CrowdedReaderParts): Person {
  const { name, random, model, pace, calmMs } = parts;
  return createCrowdedReader(parts, {
    rounds: 1,
    choose() {
      const lines = model.list().filter(({ part }) => part.line !== undefined);
      const sick = lines.filter((asset) =>
        pointsOf(parts, asset).some((point) => point.healthySinceMs() === undefined),
      );
      const well = lines.filter(isCalm);
      if (sick.length === 0 || well.length === 0) return undefined;
      return { asset: random.pick(well), wanted: random.pick(sick) };
    },
    // One that is not well would keep them waiting.
    warmUp: ({ asset }) => ({ asset }),
    check: ({ asset, fromMs, toMs }) => pace.checkLine({ who: name, part: asset.part, fromMs, toMs }),
  });

  function isCalm(asset: ModelledAsset): boolean {
    const points = pointsOf(parts, asset);
    return points.length > 0 && points.every((point) => calmMs(asset.pid, point) !== undefined);
  }
}
