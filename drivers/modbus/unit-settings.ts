import type { ModbusConfig, RequestSettings } from './modbus-config.ts';

/** The settings that hold for the requests to one unit. */
export type UnitSettings = RequestSettings;

/** Knows the settings of every unit of a connection: its own, and those of the driver where it has none. */
export class UnitSettingsTable {
  readonly #config: ModbusConfig;
  readonly #own: ReadonlyMap<number, UnitSettings>;

  constructor(config: ModbusConfig) {
    this.#config = config;
    this.#own = new Map(
      config.units.map(({ unitId, ...own }) => [unitId, { ...config, ...withoutUndefined(own) }]),
    );
  }

  /** Returns the settings of a unit. */
  of(unitId: number): UnitSettings {
    return this.#own.get(unitId) ?? this.#config;
  }

  /** Whether the pause before a request is that of the unit, so that only the unit waits for it. */
  hasOwnPause(unitId: number): boolean {
    const unit = this.#config.units.find((one) => one.unitId === unitId);
    return unit?.delayBetweenRequestsMs !== undefined;
  }
}

function withoutUndefined<T extends object>(
  values: T,
): { readonly [Key in keyof T]?: Exclude<T[Key], undefined> } {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [Key in keyof T]?: Exclude<T[Key], undefined> };
}
