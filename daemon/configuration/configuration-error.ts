import { InvalidRequest } from '../base/errors.ts';
import { formatFaults } from '../settings/settings-error.ts';
import type { LocatedFault } from '../settings/settings-error.ts';

/** A configuration was refused as a whole; the one before stays in force. */
export class ConfigurationError extends InvalidRequest {
  readonly faults: readonly LocatedFault[];

  /**
   * @param code `CONFIGURATION_INVALID` when what was to be merged is at fault, `SNAPSHOT_INVALID` when the stored
   *   configuration alone is, as it may be after a change of the release
   */
  constructor(code: 'CONFIGURATION_INVALID' | 'SNAPSHOT_INVALID', faults: readonly LocatedFault[]) {
    super({ code, detail: formatFaults(faults) });
    this.faults = faults;
  }
}
