import type { UnitStatus } from '../../interface/plant/asset-status.ts';

/** Unit or address that is currently skipped because it did not respond. */
interface Silent {
  /** `unit 7`, or `unit 7 HOLDING_REGISTERS 37`; followed by `(write)` if only writes get no response. */
  readonly name: string;
  /** Time of the next attempt, milliseconds since the epoch; undefined: due now. */
  readonly nextAtMs: number | undefined;
}

/** Lists the suspended units, and the silent addresses of the others. */
export function listSilent(units: readonly UnitStatus[]): readonly Silent[] {
  return units.flatMap((unit): readonly Silent[] => {
    if (unit.state === 'SUSPENDED') return [{ name: unit.name, nextAtMs: unit.nextProbeAt }];
    return (unit.silentAddresses ?? []).map(({ address, operation, nextAttemptAt }) => ({
      name: `${unit.name} ${address}${operation === 'WRITE' ? ' (write)' : ''}`,
      nextAtMs: nextAttemptAt,
    }));
  });
}
