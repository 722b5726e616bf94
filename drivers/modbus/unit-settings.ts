import { isDeepStrictEqual } from 'node:util';
import type { ModbusConfig, RequestSettings } from './modbus-config.ts';

/** Settings of requests that may be left out. */
type OwnSettings = { readonly [Key in keyof RequestSettings]?: RequestSettings[Key] | undefined };

/**
 * Knows the settings of every unit of a connection: its own, and those of the driver where it has none.
 *
 * They can change while the connection stands, so they are asked for with each request and not kept.
 */
export class UnitSettingsTable {
  #config: ModbusConfig;
  #own: ReadonlyMap<number, RequestSettings>;
  #revision = 0;

  constructor(config: ModbusConfig) {
    this.#config = config;
    this.#own = listOwn(config);
  }

  /** Counts the changes; what was planned before is out of date. */
  get revision(): number {
    return this.#revision;
  }

  /** Returns the settings of a unit. */
  of(unitId: number): RequestSettings {
    return this.#own.get(unitId) ?? this.#config;
  }

  /** Whether the pause before a request is that of the unit, so that only the unit waits for it. */
  hasOwnPause(unitId: number): boolean {
    const unit = this.#config.units.find((one) => one.unitId === unitId);
    return unit?.delayBetweenRequestsMs !== undefined;
  }

  /** Takes other settings for the requests from now on. */
  replace(config: ModbusConfig): void {
    this.#config = config;
    this.#own = listOwn(config);
    this.#revision += 1;
  }
}

/** Whether two settings of a connection differ in those of single units at most. */
export function differsInUnitsOnly(before: ModbusConfig, after: ModbusConfig): boolean {
  return isDeepStrictEqual({ ...before, units: [] }, { ...after, units: [] });
}

function listOwn(config: ModbusConfig): ReadonlyMap<number, RequestSettings> {
  return new Map(config.units.map(({ unitId, ...own }) => [unitId, merge(config, own)]));
}

function merge(settings: RequestSettings, own: OwnSettings): RequestSettings {
  const given = Object.entries(own).filter(([, value]) => value !== undefined);
  return { ...settings, ...Object.fromEntries(given) };
}
