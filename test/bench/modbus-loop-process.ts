import modbusSerial from 'modbus-serial';

import { serveRemote } from './remote.ts';
import { quantile } from './statistics.ts';

const MAXIMUM_REGISTERS = 125;
const client = new modbusSerial.default();

serveRemote({
  connect: (port: number) => client.connectTCP('127.0.0.1', { port }),
  readRegisters,
});

/** Returns the median duration of one pass over the registers, in microseconds. */
async function readRegisters({
  registers,
  durationMs,
}: {
  readonly registers: number;
  readonly durationMs: number;
}): Promise<number> {
  const durations: number[] = [];
  const deadline = performance.now() + durationMs;
  for (let start = performance.now(); start < deadline; start = performance.now()) {
    for (let offset = 0; offset < registers; offset += MAXIMUM_REGISTERS) {
      await client.readHoldingRegisters(offset, Math.min(MAXIMUM_REGISTERS, registers - offset));
    }
    durations.push((performance.now() - start) * 1000);
  }
  return quantile(Float64Array.from(durations).sort(), 0.5);
}
