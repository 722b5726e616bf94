import { InvalidRequest } from '../base/errors.ts';
import { formatFaults } from '../settings/settings-error.ts';
import type { LocatedFault } from '../settings/settings-error.ts';

const STORED_REMEDY =
  'the stored configuration does not match this release; define the named items in a file in provision.d, which ' +
  'replaces them, or reinstall the previous release or package';

/** The configuration was rejected as a whole; the previous one stays active. */
export class ConfigurationError extends InvalidRequest {
  readonly faults: readonly LocatedFault[];

  /**
   * @param code `CONFIGURATION_INVALID` when the sources have errors, `SNAPSHOT_INVALID` when only the stored configuration
   *   has, as it may after a change of the release
   */
  constructor(code: 'CONFIGURATION_INVALID' | 'SNAPSHOT_INVALID', faults: readonly LocatedFault[]) {
    const remedy = code === 'SNAPSHOT_INVALID' ? `\n${STORED_REMEDY}` : '';
    super({ code, detail: `${formatFaults(faults)}${remedy}` });
    this.faults = faults;
  }
}
