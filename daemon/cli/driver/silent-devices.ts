import type { UnitStatus } from '../../interface/plant/asset-status.ts';

/** A unit or an address that is not read or written for now because it did not answer. */
interface Silent {
  /** `unit 7`, or `unit 7 HOLDING_REGISTERS 37`; followed by `(write)` when only writes get no answer. */
  readonly name: string;
  /** Milliseconds since the epoch of the next attempt; undefined when it is due. */
  readonly nextAtMs: number | undefined;
}

/** Lists the units that are suspended, and the silent addresses of the others. */
export function listSilent(units: readonly UnitStatus[]): readonly Silent[] {
  return units.flatMap((unit): readonly Silent[] => {
    if (unit.state === 'SUSPENDED') return [{ name: unit.name, nextAtMs: unit.nextProbeAt }];
    return (unit.silentAddresses ?? []).map(({ address, operation, nextAttemptAt }) => ({
      name: `${unit.name} ${address}${operation === 'WRITE' ? ' (write)' : ''}`,
      nextAtMs: nextAttemptAt,
    }));
  });
}
