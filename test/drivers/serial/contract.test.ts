import type { SerialAddress } from '../../../drivers/serial/serial-address.ts';
import { createSerialDriverFactory } from '../../../drivers/serial/serial-driver.ts';
import { testDriver } from '../../contract/driver-contract.ts';
import type { DriverBench } from '../../contract/driver-bench.ts';
import { createDriverContext } from '../../support/driver-context.ts';
import { startInstrument } from '../../support/serial-instrument.ts';
import { createChannel, LINES } from '../../support/serial-instrument-driver.ts';
import { openSerialPair } from '../../support/serial-pair.ts';
import { testsThatNeed } from '../../support/tests-that-need.ts';

const asking = (request: string, pattern: string) => ({ request: `${request}\\r\\n`, response: { pattern } });

testDriver('serial', createBench, testsThatNeed('python3', 'socat'));

async function createBench(): Promise<DriverBench<SerialAddress>> {
  const pair = await openSerialPair();
  let scale = await startInstrument('scale', pair.instrument);
  const config = createSerialDriverFactory().configSchema.parse({
    device: pair.gateway,
    framing: LINES,
    responseTimeoutMs: 1000,
  });
  return {
    createDriver: () => createSerialDriverFactory().create(config, createDriverContext()),
    channels: [
      { channel: { ...createChannel(asking('W', '^ST,GS,(.*) kg$')), name: 'weight' }, value: 12.5 },
      {
        channel: { ...createChannel(asking('ID', '^(.*)$'), 'STRING'), name: 'make' },
        value: 'EVEREST 3000',
      },
    ],
    refused: {
      ...createChannel({ ...asking('X', '^X (.*)$'), write: 'X {value}\\r\\n', acknowledge: '^OK$' }),
      name: 'unknown',
    },
    // No answer of an instrument is a refusal; its line carries no such character.
    refusedWrite: { ...createChannel({ write: 'é {value}\\r\\n', acknowledge: '^OK$' }), name: 'foreign' },
    writable: {
      ...createChannel({ ...asking('SP?', '^SP (.*)$'), write: 'SP {value}\\r\\n', acknowledge: '^OK$' }),
      name: 'setpoint',
    },
    // The first is the initial value of the scale: it has it again after it was away.
    values: [10, 42.5],
    async unplug() {
      await pair.unplug();
      await scale[Symbol.asyncDispose]();
    },
    async plug() {
      await pair.replug();
      scale = await startInstrument('scale', pair.instrument);
    },
    silence: () => scale.hold(),
    wake: () => scale.goOn(),
    async [Symbol.asyncDispose]() {
      await scale[Symbol.asyncDispose]();
      await pair[Symbol.asyncDispose]();
    },
  };
}
