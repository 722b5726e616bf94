import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ByteLink } from '../../../../drivers/link/byte-link.ts';
import { configSchema } from '../../../../drivers/serial/serial-config.ts';
import { SerialLine } from '../../../../drivers/serial/serial-line.ts';
import { applyMeterFraming } from '../../../../drivers/serial/meter/meter-framing.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

test('a change of speed that is not done when a readout fails is done before the one back', async () => {
  const order: string[] = [];
  const { promise: isDrained, resolve: drain } = Promise.withResolvers<void>();
  const link: ByteLink = {
    open: () => Promise.resolve(),
    send: () => undefined,
    close: () => undefined,
    async changeSpeed(baudRate) {
      if (baudRate !== 300) await isDrained;
      order.push(String(baudRate));
    },
  };
  const config = configSchema.parse({ device: '/dev/ttyUSB0', framing: { type: 'IEC62056_21' } });
  const line = new SerialLine({
    createLink: () => link,
    config: applyMeterFraming(config),
    context: { clock: new ManualClock() },
  });
  const { signal } = new AbortController();
  await line.connect(signal, () => undefined);
  const failed = line.converse(signal, (conversation) => {
    void conversation.changeSpeed(9600);
    return Promise.reject(new Error('no data'));
  });
  const rejected = assert.rejects(failed, /no data/);
  drain();
  await rejected;
  assert.deepEqual(order, ['9600', '300']);
});
