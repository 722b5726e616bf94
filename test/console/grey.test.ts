import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Locator, Page } from 'playwright-core';

import {
  answerFrame,
  createFrame,
  exceptionFrame,
  startFaultServer,
} from '../support/modbus-fault-server.ts';
import type { FaultServer } from '../support/modbus-fault-server.ts';
import { needs } from '../support/tests-that-need.ts';
import { startConsole } from './support/console-page.ts';
import { callInPage } from './support/in-page.ts';
import { visitPlaces } from './support/places.ts';

const CONSOLE = needs('chromium', 'libmodbus');
const UNIT = { unitId: 1, table: 'HOLDING_REGISTERS' } as const;
// Function codes of writes (MODBUS Application Protocol V1.1b3, 6.6 and 6.12).
const WRITES = new Set([6, 16]);
// A shape of 16 pixels as the eye has it.
const SIDE = 16;
// Of 256 places; strokes are two of them wide.
const LEAST_DIFFERENT = 24;

function setpoint(name: string, offset: number, write: object): object {
  return {
    name,
    type: 'READ_WRITE',
    valueType: 'INTEGER',
    address: { ...UNIT, offset, dataType: 'UINT16' },
    write,
  };
}

/** Writes 61 to a channel, and returns what became of it. */
async function writeTo(page: Page, channel: string): Promise<Locator> {
  const panel = page.locator('form.write');
  await page
    .locator('.grid-row:not(.head)', { hasText: channel })
    .locator('.cell.action button')
    .first()
    .click();
  await panel.locator('input[name=value]').fill('61');
  await panel.locator('button[type=submit]').click();
  const outcome = panel.locator('.outcome');
  await panel.locator('button.main').or(outcome).first().waitFor();
  if ((await outcome.count()) === 0) await panel.locator('button.main').click();
  await outcome.waitFor();
  return outcome;
}

/** Where a picture has ink, without its colours: a row of 16 by 16 places. */
async function readInk(page: Page, shape: Locator): Promise<readonly boolean[]> {
  const png = (await shape.screenshot({ animations: 'disabled' })).toString('base64');
  const reader = await page.context().newPage();
  const levels = await reader.evaluate<number[]>(`(async () => {
    const picture = new Image();
    picture.src = 'data:image/png;base64,${png}';
    await picture.decode();
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = ${SIDE};
    const pen = canvas.getContext('2d');
    pen.filter = 'grayscale(1)';
    pen.drawImage(picture, 0, 0, ${SIDE}, ${SIDE});
    return [...pen.getImageData(0, 0, ${SIDE}, ${SIDE}).data].filter((_level, index) => index % 4 === 0);
  })()`);
  await reader.close();
  const [light, dark] = [Math.max(...levels), Math.min(...levels)];
  return levels.map((level) => level < (light + dark) / 2);
}

function countDifferences(one: readonly boolean[], other: readonly boolean[]): number {
  return one.filter((ink, index) => ink !== other[index]).length;
}

// Each channel has its offset, at which the device below does something else.
const OUTCOMES = ['VERIFIED', 'ACKNOWLEDGED', 'REFUSED', 'NOT_SENT', 'UNKNOWN'] as const;

/** A device whose registers take what is written, refuse it, or are silent. */
function startDevice(): Promise<FaultServer> {
  const registers = new Map<number, number>();
  return startFaultServer((request, connection) => {
    const { pdu } = request;
    const code = pdu[0] ?? 0;
    const offset = pdu.readUInt16BE(1);
    if (!WRITES.has(code)) {
      const count = pdu.readUInt16BE(3);
      const bytes = Buffer.alloc(2 + 2 * count);
      bytes.set([code, 2 * count]);
      for (let index = 0; index < count; index += 1)
        bytes.writeUInt16BE(registers.get(offset + index) ?? 7, 2 + 2 * index);
      connection.send(createFrame({ ...request, pdu: bytes }));
      return;
    }
    const outcome = OUTCOMES[offset];
    if (outcome === 'UNKNOWN') return;
    if (outcome === 'REFUSED') connection.send(exceptionFrame(request, 4));
    else {
      registers.set(offset, pdu.readUInt16BE(pdu.length - 2));
      connection.send(answerFrame(request));
    }
  });
}

test(
  'the five outcomes of a write have a word and a shape each that are told apart without colours',
  CONSOLE,
  async (t) => {
    await using device = await startDevice();
    const rules: Readonly<Record<string, object>> = { VERIFIED: { verify: {} }, NOT_SENT: { maximum: 60 } };
    const { enter, base } = await startConsole(t, {
      drivers: [
        { pid: 'line', type: 'modbus', host: '127.0.0.1', port: device.port, responseTimeoutMs: 500 },
      ],
      assets: [
        {
          pid: 'pump',
          driver: 'line',
          channels: OUTCOMES.map((name, offset) => setpoint(name.toLowerCase(), offset, rules[name] ?? {})),
        },
      ],
    });
    const shapes = new Map<string, readonly boolean[]>();
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await enter('', { colorScheme });
      for (const name of OUTCOMES) {
        await page.goto(`${base}/#/assets/pump`);
        await page.reload();
        await page.locator('.grid-row', { hasText: 'verified' }).getByText('good').waitFor();
        const outcome = await writeTo(page, name.toLowerCase());
        assert.equal(await outcome.locator('strong').innerText(), name);
        const ink = await readInk(page, outcome.locator('svg'));
        shapes.set(`${colorScheme} ${name}`, colorScheme === 'dark' ? ink.map((isInk) => !isInk) : ink);
      }
    }
    const near = [...shapes].flatMap(([one, ink], index) =>
      [...shapes]
        .slice(index + 1)
        .filter(([other]) => one.split(' ')[1] !== other.split(' ')[1])
        .filter(([, other]) => countDifferences(ink, other) < LEAST_DIFFERENT)
        .map(([other]) => `${one} and ${other}`),
    );
    assert.deepEqual(near, []);
  },
);

test('no state on any page is told by a colour alone', CONSOLE, async (t) => {
  const started = await startConsole(t);
  const page = await started.enter();
  const found: string[] = [];
  await visitPlaces(page, started.base, async (link) => {
    const silent = await callInPage<readonly string[]>(page, 'silent-states', 'listSilentStates');
    found.push(...silent.map((words) => `${link}: ${words}`));
  });
  assert.deepEqual(found, []);
});
