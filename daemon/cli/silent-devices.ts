/** What `_status` tells of a device behind a connection. */
export interface UnitInfo {
  readonly name: string;
  readonly state: string;
  readonly lastError?: string;
  readonly nextProbeAt?: number;
  readonly silentAddresses?: readonly {
    readonly address: string;
    readonly operation: string;
    readonly nextAttemptAt: number;
  }[];
}

/** Something that is not asked for now because it did not answer. */
interface Silent {
  /** `unit 7`, or `unit 7 HOLDING_REGISTERS 37`; with `(write)` behind it when only writes get no answer. */
  readonly name: string;
  /** Milliseconds since the epoch of the next try; undefined when it is now. */
  readonly nextAtMs: number | undefined;
}

/** Lists the units that are suspended, and the silent addresses of the others. */
export function listSilent(units: readonly UnitInfo[]): readonly Silent[] {
  return units.flatMap((unit): readonly Silent[] => {
    if (unit.state === 'SUSPENDED') return [{ name: unit.name, nextAtMs: unit.nextProbeAt }];
    return (unit.silentAddresses ?? []).map(({ address, operation, nextAttemptAt }) => ({
      name: `${unit.name} ${address}${operation === 'WRITE' ? ' (write)' : ''}`,
      nextAtMs: nextAttemptAt,
    }));
  });
}
