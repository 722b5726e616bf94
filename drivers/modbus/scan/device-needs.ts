import type { FaultReason } from '../../../daemon/base/fault-reason.ts';
import type { Settings } from '../../../daemon/channel/discovery.ts';
import { adviseReadFunction } from '../health/read-function.ts';
import type { ReadWriteSupport } from '../health/read-function.ts';
import { adviseWarmUp, toConnectDelayMs } from '../health/warm-up.ts';
import { ILLEGAL_DATA_ADDRESS, ILLEGAL_DATA_VALUE } from '../modbus-errors.ts';
import type { ScanClient, ScanResponse } from './scan-client.ts';

/** Returns the support of function code 23 by the response to it; undefined if there is none. */
function toSupport(response: ScanResponse): ReadWriteSupport | undefined {
  if (response.kind === 'ANSWERED') return 'YES';
  if (response.kind !== 'REFUSED') return 'UNKNOWN';
  if (response.exceptionCode === ILLEGAL_DATA_ADDRESS) return 'YES';
  // The standard requires one register to write; a unit that insists refuses a read without it.
  return response.exceptionCode === ILLEGAL_DATA_VALUE ? 'WITH_REGISTER' : undefined;
}

/** Records the settings that a device needs, as its driver advises them. */
export class DeviceNeeds {
  #warmUpMs: number | undefined;
  readonly #readWriteUnits: number[] = [];
  readonly #advice: FaultReason[] = [];

  /** Records that the device responded only so late after connecting. */
  recordWarmUp(neededMs: number): void {
    if (this.#warmUpMs !== undefined) return;
    this.#warmUpMs = neededMs;
    this.#advice.push(adviseWarmUp(neededMs));
  }

  /** Sends function code 23, which writes nothing, to a unit that refused 3, and uses it for later reads if it works. */
  async findReadFunction(client: ScanClient, unitId: number): Promise<void> {
    const request = { functionCode: 3, unitId, offset: 0, quantity: 1, readWrite: {} } as const;
    const response = await client.send(request);
    const support = toSupport(response);
    if (support === undefined) return;
    this.#advice.push(adviseReadFunction(unitId, support));
    if (support !== 'YES') return;
    client.readHoldingWithReadWrite(unitId);
    this.#readWriteUnits.push(unitId);
  }

  /** Settings in words, each to be a note. */
  get advice(): readonly FaultReason[] {
    return this.#advice;
  }

  /** Settings for a new driver; a register to overwrite is a decision of the user. */
  get settings(): Settings | undefined {
    const units = this.#readWriteUnits.map((unitId) => ({ unitId, readFunction: 'READ_WRITE' }));
    if (this.#warmUpMs === undefined && units.length === 0) return undefined;
    return {
      ...(this.#warmUpMs === undefined ? {} : { connectDelayMs: toConnectDelayMs(this.#warmUpMs) }),
      ...(units.length === 0 ? {} : { units }),
    };
  }
}
