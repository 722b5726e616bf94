import assert from 'node:assert/strict';

import { createReason, describeReasons, quoteError } from '../../daemon/base/fault-reason.ts';
import { createNote } from '../../daemon/channel/discovery.ts';
import type { ScanEvent, ScanNote, ScanText } from '../../daemon/channel/discovery.ts';
import { SCAN_SENTENCES } from '../../daemon/plant/discovery/scan-sentences.ts';
import { MODBUS_SCAN_SENTENCES } from '../../drivers/modbus/scan-sentences.ts';
import { OPCUA_SCAN_SENTENCES } from '../../drivers/opcua/scan-sentences.ts';
import { SERIAL_SCAN_SENTENCES } from '../../drivers/serial/sentences/scan-sentences.ts';

const SENTENCES: Readonly<Record<string, string>> = {
  ...SCAN_SENTENCES,
  ...MODBUS_SCAN_SENTENCES,
  ...OPCUA_SCAN_SENTENCES,
  ...SERIAL_SCAN_SENTENCES,
};

/** Asserts that the codes of what a scan reported give its English texts. */
export function assertCoded(events: readonly ScanEvent[], notes: readonly ScanNote[]): void {
  for (const event of events) {
    assertText(event);
    if (event.type === 'found' && event.subjectReasons !== undefined) {
      assert.equal(describeReasons(fill(event.subjectReasons)), event.subject);
    }
  }
  for (const { message, reasons } of notes) assert.equal(createNote(...fill(reasons)).message, message);
}

function assertText({ text, reasons }: ScanText): void {
  if (reasons !== undefined) assert.equal(describeReasons(fill(reasons)), text);
}

function fill(reasons: ScanNote['reasons']) {
  return reasons.map(({ code, parameters }) => {
    const { message } = parameters;
    return SENTENCES[code] === undefined && typeof message === 'string'
      ? quoteError({ code, message })
      : createReason(SENTENCES, code, parameters);
  });
}
