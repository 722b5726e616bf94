import { isDeepStrictEqual } from 'node:util';
import type { ModbusConfig, RequestSettings } from './modbus-config.ts';
import type { LineRequest } from './pdu/request.ts';

/** Request settings, all optional. */
type OwnSettings = { readonly [Key in keyof RequestSettings]?: RequestSettings[Key] | undefined };

/**
 * Settings of every unit of a connection: its own, or those of the driver.
 *
 * They can change while the connection is open, so callers look them up for each request.
 */
export class UnitSettingsTable {
  #config: ModbusConfig;
  #own: ReadonlyMap<number, RequestSettings>;
  #revision = 0;

  constructor(config: ModbusConfig) {
    this.#config = config;
    this.#own = listOwn(config);
  }

  /** Counts changes; a plan of an earlier revision is outdated. */
  get revision(): number {
    return this.#revision;
  }

  /** Returns the settings of a unit. */
  of(unitId: number): RequestSettings {
    return this.#own.get(unitId) ?? this.#config;
  }

  /** Returns a request as its unit needs it: a read of holding registers may need function code 23. */
  toSent(request: LineRequest): LineRequest {
    if (request.functionCode !== 3) return request;
    const { readFunction, scratchOffset } = this.of(request.unitId);
    return readFunction === 'READ_WRITE' ? { ...request, readWrite: { scratchOffset } } : request;
  }

  /** True if the pause before a request belongs to the unit alone and does not delay other units. */
  hasOwnPause(unitId: number): boolean {
    const unit = this.#config.units.find((one) => one.unitId === unitId);
    return unit?.delayBetweenRequestsMs !== undefined;
  }

  /** Replaces the settings of all later requests. */
  replace(config: ModbusConfig): void {
    this.#config = config;
    this.#own = listOwn(config);
    this.#revision += 1;
  }
}

/** True if two connection settings differ only in the settings of single units. */
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
