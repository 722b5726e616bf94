import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { rs485Schema, setRs485 } from '../../../drivers/link/rs485.ts';
import { createRs485Perl } from '../../support/rs485-line.ts';
import type { Rs485Abilities } from '../../support/rs485-line.ts';
import { openSerialPair } from '../../support/serial-pair.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { needs } from '../../support/tests-that-need.ts';
import { programOf } from '../../support/tools.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const never = new AbortController().signal;

type Given = Parameters<typeof rs485Schema.parse>[0];

/** Sets the mode of a line that has it, and returns what its driver was asked for. */
async function ask(t: TestContext, given: Given, abilities?: Rs485Abilities): Promise<string> {
  const fake = createRs485Perl(t, abilities);
  const line = openSync('/dev/null', constants.O_RDWR | constants.O_NONBLOCK);
  try {
    await setRs485(line, rs485Schema.parse(given), { signal: never, perl: fake.perl });
    const flags = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${line}`, 'utf8'))?.[1] ?? '';
    // A read of a line that blocks would hold the whole process.
    assert.ok((Number.parseInt(flags, 8) & constants.O_NONBLOCK) !== 0);
    return fake.readAsked();
  } finally {
    closeSync(line);
  }
}

test('every setting reaches the driver of the line', needs('cc'), async (t) => {
  assert.equal(await ask(t, {}), 'ENABLED RTS_ON_SEND delays 0 0, 32 bytes');
  assert.equal(
    await ask(t, { rtsOnSend: false, delayRtsBeforeSendMs: 3, delayRtsAfterSendMs: 100 }),
    'ENABLED RTS_AFTER_SEND delays 3 100, 32 bytes',
  );
  assert.equal(
    await ask(t, { rxDuringTx: true, terminateBus: true }),
    'ENABLED RTS_ON_SEND RX_DURING_TX TERMINATE_BUS delays 0 0, 32 bytes',
  );
  assert.equal(await ask(t, { enabled: false, rxDuringTx: true }), 'delays 0 0, 32 bytes');
});

test(
  'a setting that the driver of the line did not take is named with what is in force',
  needs('cc'),
  async (t) => {
    const code = 'SERIAL_RS485_NOT_SET';
    await assert.rejects(ask(t, { delayRtsAfterSendMs: 20 }, { longestDelayMs: 5 }), {
      code,
      message: /: delayRtsAfterSendMs is 5$/,
    });
    await assert.rejects(ask(t, { terminateBus: true, rxDuringTx: true }, { flags: 1 | 2 }), {
      code,
      message: /: rxDuringTx is false, terminateBus is false$/,
    });
    await assert.rejects(ask(t, {}, { flags: 0 }), { code, message: /: enabled is false$/ });
    await assert.rejects(ask(t, {}, { error: 22 }), {
      code,
      message: /: refused by its driver: Invalid argument$/,
    });
  },
);

test(
  'a line without the mode is refused, and taking it out of the mode succeeds',
  needs('socat'),
  async () => {
    await using pair = await openSerialPair();
    const line = openSync(pair.gateway, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
    try {
      await assert.rejects(setRs485(line, rs485Schema.parse({}), { signal: never }), {
        code: 'SERIAL_NO_RS485',
      });
      await setRs485(line, rs485Schema.parse({ enabled: false }), { signal: never });
    } finally {
      closeSync(line);
    }
  },
);

test('without perl, and with one that ends otherwise, the mode is not set', async (t) => {
  const missing = path.join(createTemporaryDirectory(t), 'perl');
  for (const perl of [missing, '/bin/false', '/bin/true']) {
    await assert.rejects(setRs485(0, rs485Schema.parse({}), { signal: never, perl }), (error: Error) => {
      assert.equal((error as { code?: string }).code, 'SERIAL_RS485_NOT_SET');
      assert.ok(!error.message.includes('/'), error.message);
      return true;
    });
  }
});

test(
  'the request that reaches the kernel is TIOCSRS485, for the line',
  needs('socat', 'strace'),
  async (t) => {
    await using pair = await openSerialPair();
    const trace = path.join(createTemporaryDirectory(t), 'trace');
    const program = `
    import { SerialLink } from './drivers/link/serial-link.ts';
    import { systemClock } from './daemon/base/clock.ts';
    import { rs485Schema } from './drivers/link/rs485.ts';
    const line = { device: ${JSON.stringify(pair.gateway)}, baudRate: 9600, dataBits: 8, stopBits: 1, parity: 'none' };
    const link = new SerialLink({ ...line, rs485: rs485Schema.parse({}), clock: systemClock });
    await link.open(new AbortController().signal, {}).catch((error) => process.stdout.write(error.code));
  `;
    const node = [process.execPath, '--input-type=module', '--eval', program];
    const filters = ['-f', '-y', '-e', 'trace=ioctl', '-o', trace];
    const code = execFileSync(programOf('strace'), [...filters, ...node], { cwd: ROOT, encoding: 'utf8' });
    assert.equal(code, 'SERIAL_NO_RS485');
    assert.match(readFileSync(trace, 'utf8'), /ioctl\(3<\/dev\/pts\/\d+>, TIOCSRS485, .*\) = -1 ENOTTY/);
  },
);
