import { formatValue } from '../../channel/value-json.ts';
import { countThousandths } from '../../channel/value-syntax.ts';
import type { ChannelValue, ValueType } from '../../channel/value-type.ts';
import type { JsonWriter } from './json-writer.ts';

/**
 * Writes a value as `formatValue` does, most numbers without making a text of them.
 *
 * @param value in the shape of `valueType`
 */
export function writeValue(writer: JsonWriter, valueType: ValueType, value: ChannelValue): void {
  if (typeof value === 'number') {
    if (valueType !== 'FLOAT' && Number.isFinite(value)) return writer.number(value);
    const thousandths = valueType === 'FLOAT' ? countThousandths(value) : undefined;
    if (thousandths !== undefined) return writer.thousandths(thousandths);
  }
  writer.text(formatValue(valueType, value));
}
