import type { SimulatedPlant } from './plant-memory.ts';

/** The part of the plant that the panel uses. */
type Plant = Pick<SimulatedPlant, 'values' | 'apply'>;

const LINE_END = '\r\n';
// No command is longer; a longer line has lost its end.
const MAXIMUM_LINE_CHARACTERS = 64;
const SETPOINT = /^SP (-?\d{1,3}(?:\.\d{1,2})?)$/;

/**
 * Returns the response of the operating panel to one line.
 *
 * `ID` returns its name; `T1`, `T2` and `P` show flow temperature, return temperature and pressure; `SP` shows the setpoint, `SP 62.5`
 * sets it.
 *
 * @param line without its end
 * @returns the response without its end
 */
export function answerPanel(plant: Plant, line: string): string {
  const { flowTemperature, returnTemperature, pressure, setpoint } = plant.values;
  switch (line) {
    case 'ID':
      return 'HEATING PANEL 1.0';
    case 'T1':
      return `T1 ${flowTemperature.toFixed(2)} C`;
    case 'T2':
      return `T2 ${returnTemperature.toFixed(2)} C`;
    case 'P':
      return `P ${pressure.toFixed(3)} bar`;
    case 'SP':
      return `SP ${setpoint.toFixed(2)} C`;
  }
  const [, wanted] = SETPOINT.exec(line) ?? [];
  if (wanted === undefined) return 'ERR';
  plant.apply({ setpoint: Number(wanted) });
  return 'OK';
}

/**
 * Connects the panel to a serial line.
 *
 * @param send sends bytes over the line
 * @returns processes received bytes, in chunks of any size
 */
export function createPanel(plant: Plant, send: (bytes: Buffer) => void): (bytes: Buffer) => void {
  let received = '';
  return (bytes) => {
    const lines = (received + bytes.toString('latin1')).split(LINE_END);
    received = (lines.pop() ?? '').slice(-MAXIMUM_LINE_CHARACTERS);
    for (const line of lines) send(Buffer.from(answerPanel(plant, line) + LINE_END, 'latin1'));
  };
}

const request = (command: string, pattern: string) => ({
  request: `${command}${String.raw`\r\n`}`,
  response: { pattern },
});
const MEASURED = { type: 'READ', valueType: 'DOUBLE' } as const;

/** The line of the panel, as settings of the driver `serial`. */
export const PANEL_LINE = { framing: { type: 'delimiter', delimiter: String.raw`\r\n` } } as const;

/** The values of the panel, as channels of the driver `serial`. */
export const PANEL_CHANNELS = [
  { name: 'flowTemperature', ...MEASURED, unit: 'degC', address: request('T1', '^T1 (.*) C$') },
  { name: 'returnTemperature', ...MEASURED, unit: 'degC', address: request('T2', '^T2 (.*) C$') },
  { name: 'pressure', ...MEASURED, unit: 'bar', address: request('P', '^P (.*) bar$') },
  {
    name: 'setpoint',
    type: 'READ_WRITE',
    valueType: 'DOUBLE',
    unit: 'degC',
    address: {
      ...request('SP', '^SP (.*) C$'),
      write: String.raw`SP {value}\r\n`,
      decimals: 2,
      acknowledge: '^OK$',
    },
  },
  { name: 'deviceName', type: 'READ', valueType: 'STRING', address: request('ID', '^(.*)$') },
] as const;
