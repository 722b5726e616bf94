import assert from 'node:assert/strict';

import * as fc from 'fast-check';

import { appendCrc } from '../../drivers/modbus/pdu/crc.ts';
import {
  findIdentificationFault,
  measureIdentification,
  parseIdentification,
} from '../../drivers/modbus/pdu/identification-pdu.ts';
import { rtuFraming } from '../../drivers/modbus/pdu/serial-framing.ts';
import { propertyTest } from './property-test.ts';

interface Answer {
  readonly level: number;
  readonly next: number | undefined;
  readonly objects: readonly (readonly [id: number, bytes: readonly number[]])[];
}

const byte = fc.nat(255);
const objects = fc.array(fc.tuple(byte, fc.array(byte, { maxLength: 20 })), { maxLength: 10 });
const answer: fc.Arbitrary<Answer> = fc.record({
  level: byte,
  next: fc.option(byte, { nil: undefined }),
  objects,
});

function encode({ level, next, objects: list }: Answer): Buffer {
  const head = [43, 14, 1, level, next === undefined ? 0 : 0xff, next ?? 0, list.length];
  return Buffer.from([...head, ...list.flatMap(([id, bytes]) => [id, bytes.length, ...bytes])]);
}

propertyTest(
  'an identification is parsed to the objects that it was made of',
  fc.property(answer, (made) => {
    const pdu = encode(made);
    assert.equal(findIdentificationFault(pdu), undefined);
    const { conformityLevel, nextObjectId, objects: parsed } = parseIdentification(pdu);
    assert.deepEqual([conformityLevel, nextObjectId], [made.level, made.next]);
    assert.deepEqual(
      parsed.map(({ id, bytes }) => [id, [...bytes]]),
      made.objects,
    );
  }),
);

propertyTest(
  'an identification has its length from its own bytes, and none while it is incomplete',
  fc.property(answer, fc.array(byte, { maxLength: 8 }), (made, behind) => {
    const pdu = encode(made);
    assert.equal(measureIdentification(Buffer.concat([pdu, Buffer.from(behind)])), pdu.length);
    for (let end = 0; end < pdu.length; end += 1) {
      assert.notEqual(measureIdentification(pdu.subarray(0, end)), end);
    }
  }),
);

propertyTest(
  'an identification is found on a serial line behind noise, and only with the right check sum',
  fc.property(answer, fc.array(fc.constantFrom(0, 7, 43, 255), { maxLength: 8 }), (made, noise) => {
    const pdu = encode(made);
    const frame = appendCrc(7, pdu);
    const expected = { unitId: 7, functionCode: 43, pduBytes: 253, measure: measureIdentification };
    const held = Buffer.concat([Buffer.from(noise), frame]);
    assert.deepEqual(rtuFraming.find(held, expected)?.pdu, pdu);
    held[held.length - 1] = (held[held.length - 1] ?? 0) ^ 1;
    assert.equal(rtuFraming.find(held, expected), undefined);
  }),
);

propertyTest(
  'any bytes are an identification that can be parsed, or have a fault',
  fc.property(fc.array(byte, { maxLength: 253 }), fc.boolean(), (bytes, isHeaded) => {
    const pdu = Buffer.from(isHeaded ? [43, 14, ...bytes] : bytes);
    if (findIdentificationFault(pdu) !== undefined) return;
    const { objects: parsed } = parseIdentification(pdu);
    assert.equal(
      parsed.reduce((sum, { bytes: held }) => sum + 2 + held.length, 7),
      pdu.length,
    );
  }),
);
