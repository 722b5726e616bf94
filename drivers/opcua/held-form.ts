import type { Reading } from '../../daemon/channel/driver.ts';
import type { FieldStep } from './field-path.ts';
import type { OpcuaAddress } from './opcua-address.ts';
import type { ChannelReader, DataValueLike } from './reading.ts';
import { findField } from './structure.ts';
import { countDimensions, VariantFault } from './variant.ts';

/** Type and form of the value that a text was made of. */
export interface HeldForm {
  /** Number of the built-in type. */
  readonly dataType: number;
  /** Number of dimensions; 0 is a scalar. */
  readonly rank: number;
}

/** Forms of what channels of value type STRING have shown in a session. */
export class HeldForms {
  readonly #forms = new Map<string, HeldForm>();

  /** Returns the form of the newest value; undefined when the session has read none. */
  find(address: OpcuaAddress): HeldForm | undefined {
    return this.#forms.get(toKey(address));
  }

  /**
   * Has a reader note the form of each value.
   *
   * @param path the way to a field, as in `WantedPart`
   */
  watch(read: ChannelReader, address: OpcuaAddress, path: readonly FieldStep[] | undefined): ChannelReader {
    const key = toKey(address);
    return (value, nowMs): Reading => {
      const reading = read(value, nowMs);
      if (reading.failure === undefined) this.#note(key, value, path);
      return reading;
    };
  }

  #note(key: string, { value }: DataValueLike, path: readonly FieldStep[] | undefined): void {
    const held = path === undefined ? value : findField(value, path);
    if (held instanceof VariantFault) return;
    const { dataType } = held;
    const rank = countDimensions(held);
    const former = this.#forms.get(key);
    if (former?.dataType !== dataType || former.rank !== rank) this.#forms.set(key, { dataType, rank });
  }
}

function toKey({ nodeId, attribute, indexRange = '', field = '' }: OpcuaAddress): string {
  return [nodeId, attribute, indexRange, field].join('\n');
}
