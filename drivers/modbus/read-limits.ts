import { READ_FUNCTION } from './modbus-functions.ts';
import type { Table } from './modbus-address.ts';
import type { ReadLimits } from './read-plan.ts';
import type { RequestSizes } from './request-sizes.ts';
import type { UnitSettingsTable } from './unit-settings.ts';

/** Knows how long the reads of each unit may be: by its settings, and by what it showed of the requests that it takes. */
export class ReadLimitsTable {
  readonly #settings: UnitSettingsTable;
  readonly #sizes: RequestSizes;

  constructor(settings: UnitSettingsTable, sizes: RequestSizes) {
    this.#settings = settings;
    this.#sizes = sizes;
  }

  /** Changes whenever other requests may be the best ones. */
  get revision(): number {
    return this.#settings.revision + this.#sizes.revision;
  }

  /** Changes with the settings. */
  get settingsRevision(): number {
    return this.#settings.revision;
  }

  /** Returns the limits of the requests for a table of a unit. */
  of(unitId: number, table: Table): ReadLimits {
    const learned = this.#sizes.find({ unitId, functionCode: READ_FUNCTION[table] });
    return { ...this.#settings.of(unitId), learned };
  }
}
