import type { LineLoad } from '../line-load.ts';
import type { UnitConduct } from './unit-conduct.ts';

/** Lets the load of a connection know of each request that reaches a unit. */
export function followUnit(load: LineLoad, unitId: number, conduct: UnitConduct): void {
  conduct.onAsked = (outcome, reply) => {
    const isWhole = reply !== undefined && reply.distortion === undefined;
    load.note(unitId, outcome, isWhole ? reply.afterMs : undefined);
  };
}
