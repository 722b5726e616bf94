import { InvalidRequest } from '../base/errors.ts';
import { createReason } from '../base/fault-reason.ts';
import { CONFIGURATION_FAULTS } from './fault-sentences.ts';
import { explainFaults, formatFaults } from '../settings/settings-error.ts';
import type { LocatedFault } from '../settings/settings-error.ts';

const REMEDY = createReason(CONFIGURATION_FAULTS, 'STORED_OF_OTHER_RELEASE', {});

/** The configuration was rejected as a whole; the previous one stays active. */
export class ConfigurationError extends InvalidRequest {
  readonly faults: readonly LocatedFault[];

  /**
   * @param code `CONFIGURATION_INVALID` when the sources have errors, `SNAPSHOT_INVALID` when only the stored configuration
   *   has, as it may after a change of the release
   */
  constructor(code: 'CONFIGURATION_INVALID' | 'SNAPSHOT_INVALID', faults: readonly LocatedFault[]) {
    const remedies = code === 'SNAPSHOT_INVALID' ? [REMEDY] : [];
    const detail = [formatFaults(faults), ...remedies.map(({ message }) => message)].join('\n');
    const reasons = explainFaults(faults);
    super({ code, detail, reasons: reasons && [...reasons, ...remedies] });
    this.faults = faults;
  }
}
