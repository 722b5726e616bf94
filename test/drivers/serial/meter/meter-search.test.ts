import assert from 'node:assert/strict';

import { systemClock } from '../../../../daemon/base/clock.ts';
import type { Clock } from '../../../../daemon/base/clock.ts';
import type { Proposal, ScanEvent, Settings } from '../../../../daemon/channel/discovery.ts';
import { isScanning } from '../../../../daemon/channel/driver.ts';
import type { ByteLinkEvents } from '../../../../drivers/link/byte-link.ts';
import { systemLinks } from '../../../../drivers/link/links.ts';
import type { Links } from '../../../../drivers/link/links.ts';
import { createSerialDriverFactory } from '../../../../drivers/serial/serial-driver.ts';
import { createDriverContext } from '../../../support/driver-context.ts';
import { startMeters } from '../../../support/iec-meter.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { assertCoded } from '../../../support/scan-codes.ts';
import { openScriptedInstrument } from '../../../support/serial-instrument.ts';
import { advanceUntil, connectDriver, noDeadline } from '../../../support/serial-instrument-driver.ts';
import { openSerialPair } from '../../../support/serial-pair.ts';
import { testsThatNeed } from '../../../support/tests-that-need.ts';
import { createDataMessage, HEAT_METER } from './published-readouts.ts';

const { test } = testsThatNeed('python3', 'socat');

const READOUT = ['0.0.0(12345678)', '1.8.0(000123.4*kWh)', '1.8.0*01(000100.0*kWh)'];
const MESSAGE = createDataMessage(READOUT).toString('latin1');
const TELEGRAM = '/ESY5Q3DA1004\r\n\r\n1-0:1.8.0*255(1.5*kWh)\r\n!\r\n';
const FRAMING = { type: 'IEC62056_21' };
const DEVICE = '/dev/ttyUSB0';

interface SearchCall {
  readonly options?: Settings;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
  readonly links?: Links;
}

/** Searches a line, as a scan of a line that is not configured does. */
async function search(given: Settings, call: SearchCall = {}) {
  const { options = {}, clock = systemClock, signal = noDeadline(), links } = call;
  const { discovery } = createSerialDriverFactory(links);
  assert.ok(discovery?.search !== undefined);
  const texts: string[] = [];
  const events: ScanEvent[] = [];
  const found = await discovery.search(given, {
    options: discovery.optionsSchema.parse(options),
    context: createDriverContext({ clock }),
    signal,
    report: (event) => {
      events.push(event);
      if (event.type === 'found') texts.push(`${event.subject} ${event.kind} ${event.text}`);
    },
  });
  assertCoded(events, found.proposal.notes);
  return { ...found, texts };
}

function describe({ notes }: Proposal): string {
  return notes.map(({ message }) => message).join();
}

/** Searches a line in memory, whose time passes at once. */
async function searchInMemory(
  {
    answers = {},
    telegramAt,
  }: { readonly answers?: Readonly<Record<string, string>>; readonly telegramAt?: number },
  call: SearchCall = {},
) {
  const clock = new ManualClock();
  const sent: string[] = [];
  let openings = 0;
  const links: Links = {
    ...systemLinks,
    createSerial({ baudRate }) {
      let events: ByteLinkEvents | undefined;
      const receive = (text: string): void => events?.onChunk(Buffer.from(text, 'latin1'));
      return {
        open(_signal, given) {
          events = given;
          openings += 1;
          if (openings === telegramAt) clock.schedule(500, () => receive(TELEGRAM));
          return Promise.resolve();
        },
        send(bytes) {
          const text = Buffer.from(bytes).toString('latin1');
          sent.push(`${baudRate} ${text.trimEnd()}`);
          const answer = answers[text.trimEnd()];
          if (answer !== undefined) setImmediate(() => receive(answer));
        },
        changeSpeed: () => Promise.resolve(),
        close() {
          events = undefined;
        },
      };
    },
  };
  const found = await advanceUntil(clock, search({ device: DEVICE }, { ...call, clock, links }));
  return { ...found, sent };
}

test('a meter is read out once, and becomes a driver with an asset', async () => {
  await using meters = await startMeters([{ identification: '/ISk5\\2MT382', lines: READOUT }]);
  const { settings, proposal, texts } = await search({ device: meters.device });
  assert.deepEqual(meters.heard, ["'/?!'", "'\\x06050'"]);
  assert.deepEqual(settings, { device: meters.device, framing: FRAMING });
  assert.deepEqual(texts.slice(0, 3), [
    'meter METER Iskraemeco MT382, mode C, 9600 bit/s',
    'meter VALUE 0.0.0(12345678)',
    'meter VALUE 1.8.0(000123.4*kWh)',
  ]);
  assert.match(texts[3] ?? '', / LINE meter, sign-on at 300 bit\/s 7E1$/);
  assert.deepEqual(
    proposal.assets.map(({ pid, channels = [] }) => [pid, channels.map(({ name }) => name)]),
    [['mt382', ['0.0.0', '1.8.0']]],
  );
  assert.deepEqual(
    proposal.notes.map(({ message }) => message),
    ['Meter: 1 of 3 values are not listed: empty, repeated or of earlier periods.'],
  );
});

test('a meter with a sign-on of its own gets it where the settings say so', async () => {
  const { identification, lines } = HEAT_METER;
  await using meters = await startMeters([{ identification, lines, request: '#' }]);
  const framing = { ...FRAMING, requestCharacter: '#' };
  const { settings, proposal } = await search({ device: meters.device, framing });
  assert.deepEqual(settings, { device: meters.device, framing });
  assert.equal(proposal.assets.length, 1);
});

test('the meters of a line are read out by their addresses, and one that is silent is named', async () => {
  const answers = { '/?11!': '/EMH5LZQJ\r\n', '\x06050': MESSAGE };
  const { proposal } = await searchInMemory({ answers }, { options: { meters: '11,12' } });
  assert.deepEqual(
    proposal.assets.map(({ pid }) => pid),
    ['lzqj-11'],
  );
  assert.match(describe(proposal), /did not identify itself at 300 bit\/s \(meter 12\)/);
});

test('a head that does not follow the change of speed is read at 300 bit/s', async () => {
  const answers = { '/?!': '/LGZ5ZMD\r\n', '\x06000': MESSAGE };
  const { settings, proposal, sent } = await searchInMemory({ answers });
  assert.deepEqual(settings, { device: DEVICE, framing: { ...FRAMING, maximumBaudRate: 300 } });
  assert.equal(proposal.assets.length, 1);
  assert.deepEqual(sent, ['300 /?!', '300 \x06050', '300 /?!', '300 \x06000']);
});

test('a meter that identifies itself and sends no data is named, and no other speed is tried', async () => {
  const { settings, proposal, sent } = await searchInMemory({ answers: { '/?!': '/LGZ5ZMD\r\n' } });
  assert.deepEqual([settings, sent.length], [undefined, 4]);
  assert.match(describe(proposal), /identified itself as "LGZ5ZMD", but sent no complete readout/);
});

test('a long readout proposes longer frames', async () => {
  const lines = Array.from({ length: 200 }, (_, at) => `1-${at}:1.8.0(000123.4*kWh)`);
  const message = createDataMessage(lines);
  const answers = { '/?!': '/LGZ5ZMD\r\n', '\x06050': message.toString('latin1') };
  const { settings } = await searchInMemory({ answers });
  // Without ETX and the block check character.
  assert.equal(settings?.['maximumFrameBytes'], 2 * (message.length - 2));
});

test('a meter that sends without a request is found after the requests', async () => {
  const { settings, proposal, sent } = await searchInMemory({ telegramAt: 4 });
  assert.deepEqual(settings, {
    device: DEVICE,
    callDeadlineMs: 30_000,
    responseTimeoutMs: 15_000,
    framing: { ...FRAMING, mode: 'D', initialBaudRate: 115_200, characterFormat: '8N1' },
  });
  assert.deepEqual([proposal.assets.length, sent], [1, ['300 /?!', '9600 /?!']]);
});

test('a silent line gets two requests, and nothing is proposed', async () => {
  const { settings, proposal, texts, sent } = await searchInMemory({});
  assert.deepEqual([settings, proposal.assets, texts], [undefined, [], []]);
  assert.match(describe(proposal), /No meter identified itself/);
  assert.deepEqual(sent, ['300 /?!', '9600 /?!']);
});

test('a search that is stopped sends nothing more', async () => {
  await using pair = await openSerialPair();
  using instrument = await openScriptedInstrument(pair.instrument);
  const stopping = new AbortController();
  const searching = search({ device: pair.gateway }, { signal: stopping.signal });
  await instrument.expect('/?!\r\n');
  stopping.abort();
  assert.deepEqual((await searching).proposal.assets, []);
  assert.equal(instrument.received, '');
});

test('a line with another framing is left alone', async () => {
  await using pair = await openSerialPair();
  using instrument = await openScriptedInstrument(pair.instrument);
  const framing = { type: 'delimiter', delimiter: '\\r\\n' };
  const { proposal } = await search({ device: pair.gateway, framing });
  assert.match(describe(proposal), /only meters/);
  await using line = await connectDriver(pair.gateway, { framing });
  assert.ok(isScanning(line.driver));
  const scanned = await line.driver.scan(
    {},
    { signal: noDeadline(), report: () => undefined, call: (work) => work(noDeadline()) },
  );
  assert.match(describe(scanned), /only meters/);
  assert.equal(instrument.received, '');
});

test('addresses that are none are refused', () => {
  const { discovery } = createSerialDriverFactory();
  for (const meters of ['', '1,,2', 'a/b', Array(65).fill('1').join()]) {
    assert.equal(discovery?.optionsSchema.safeParse({ meters }).success, false, meters);
  }
});
