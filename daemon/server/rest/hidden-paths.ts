import { hidePaths } from '../../base/text/hide-paths.ts';
import type { FaultReason } from '../../interface/failure.ts';

/** Returns a sentence without paths in its values, see `hidePaths`. */
export function hidePathsIn({ code, parameters }: FaultReason): FaultReason {
  const shown = Object.entries(parameters).map(([name, value]) => {
    const text = typeof value === 'string' ? hidePaths(value) : value;
    return [name, typeof text === 'object' ? text.map((each) => hidePaths(each)) : text] as const;
  });
  return { code, parameters: Object.fromEntries(shown) };
}
