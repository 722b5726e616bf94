import { parseTemplate } from '../../../../daemon/plant/template/template.ts';
import type { Template } from '../../../../daemon/plant/template/template.ts';

/** A template with two channels and one parameter, as its file has it. */
export const METER = {
  name: 'example-meter',
  title: 'Example meter',
  manufacturer: 'Example',
  model: 'M1',
  source: 'Register list, revision 3',
  driver: 'modbus',
  parameters: {
    unitId: { type: 'integer', default: 1, minimum: 1, maximum: 247, description: 'Unit identifier' },
  },
  channels: [
    {
      name: 'power',
      type: 'READ',
      valueType: 'INTEGER',
      unit: 'W',
      address: { unitId: '$unitId', table: 'INPUT_REGISTERS', offset: 10, dataType: 'INT16' },
    },
  ],
} as const;

/** Parses the content of a template with other keys than those of the meter; fails when it has faults. */
export function makeTemplate(keys: Readonly<Record<string, unknown>>): Template {
  const { value, faults } = parseTemplate({ ...METER, ...keys });
  if (value === undefined) throw new Error(JSON.stringify(faults));
  return value;
}
